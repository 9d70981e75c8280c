package weigher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-logr/logr"

	pb "priorityd.internal/client/priorityv1"
)

// Shares lists shares; client.Client has both.
type Shares interface {
	AllShares(ctx context.Context, request *pb.ListSharesRequest) (*pb.ListSharesResponse, error)
}

// Follower weighs groups once in each recalculation of priorityd.
type Follower struct {
	Shares Shares
	Groups []*Group
	Poll   time.Duration // Between two questions whether there was a recalculation.
	Now    func() time.Time
	Dry    bool
	Out    io.Writer
	Log    logr.Logger

	done map[string]int64 // The recalculation that a group has weighed.
}

// Run follows until the context ends.
func (f *Follower) Run(ctx context.Context) {
	ticker := time.NewTicker(f.Poll)
	defer ticker.Stop()
	for {
		if err := f.Once(ctx); err != nil && ctx.Err() == nil {
			f.Log.Error(err, "weights are not written; they stay as they are")
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Once weighs each group if there was a recalculation since its last turn without an error.
func (f *Follower) Once(ctx context.Context) error {
	return f.each(func(g *Group) error {
		now, err := f.generation(ctx, g)
		if err != nil || f.done[g.Name] == now {
			return err
		}
		shares, err := f.level(ctx, g)
		if err != nil {
			return err
		}
		if err := g.Weigh(ctx, f.pass(shares)); err != nil {
			return err
		}
		if f.done == nil {
			f.done = map[string]int64{}
		}
		f.done[g.Name] = shares.GetSnapshot().GetGeneration()
		generation.Set(float64(shares.GetSnapshot().GetGeneration()))
		return nil
	})
}

// Undo restores all groups.
func (f *Follower) Undo(ctx context.Context) error {
	return f.each(func(g *Group) error {
		var shares *pb.ListSharesResponse
		if len(g.Queues) == 0 {
			var err error
			if shares, err = f.level(ctx, g); err != nil {
				return err
			}
		}
		return g.Undo(ctx, f.pass(shares))
	})
}

func (f *Follower) pass(shares *pb.ListSharesResponse) Pass {
	return Pass{Now: f.Now(), Shares: shares, Dry: f.Dry, Out: f.Out, Log: f.Log}
}

// each gives each group its turn; one that fails delays no other.
func (f *Follower) each(turn func(*Group) error) error {
	var failed []error
	for _, g := range f.Groups {
		if err := turn(g); err != nil {
			failures.WithLabelValues(g.Name).Inc()
			failed = append(failed, fmt.Errorf("group %q: %w", g.Name, err))
			continue
		}
		succeeded.WithLabelValues(g.Name).Set(float64(f.Now().Unix()))
	}
	return errors.Join(failed...)
}

// generation is the number of the last recalculation, from one row.
func (f *Follower) generation(ctx context.Context, g *Group) (int64, error) {
	answer, err := f.Shares.AllShares(ctx, &pb.ListSharesRequest{Accounts: []string{g.Parent}, AccountsOnly: true})
	if err != nil {
		return 0, err
	}
	return answer.GetSnapshot().GetGeneration(), nil
}

// level is the parent with everything below it. Shares that priorityd cannot check at present are refused.
func (f *Follower) level(ctx context.Context, g *Group) (*pb.ListSharesResponse, error) {
	shares, err := f.Shares.AllShares(ctx, &pb.ListSharesRequest{Accounts: []string{g.Parent}, Subtree: true, AccountsOnly: true})
	if err == nil && shares.GetSnapshot().GetStaleFor() != nil {
		err = fmt.Errorf("snapshot.stale_for: got %v, want a snapshot that priorityd could check", shares.GetSnapshot().GetStaleFor().AsDuration())
	}
	return shares, err
}
