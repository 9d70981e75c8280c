package weigher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/targets"
	"priorityd/kubernetes/internal/weights"
)

// mostAttempts are the attempts to write a queue that something else changes at the same time.
const mostAttempts = 4

// Group is a level of accounts and the target of their weights.
type Group struct {
	Name   string
	Parent string
	Queues map[string]string // Of accounts; empty = each account has the queue of its name.
	Rule   weights.Rule
	Target targets.Target

	written time.Time // By this process.
}

// member is an account of the level with its queue.
type member struct {
	weights.Sibling
	queue string
	state targets.State
}

// Pass is one turn of a group.
type Pass struct {
	Now    time.Time
	Shares *pb.ListSharesResponse
	Dry    bool
	Out    io.Writer // Gets a line for each change; nil = none.
	Log    logr.Logger
}

// Weigh writes the weights of a group that follow from the shares, if they are due.
func (g *Group) Weigh(ctx context.Context, p Pass) error {
	members, err := g.members(p.Shares)
	if err != nil {
		return err
	}
	if members, err = g.read(ctx, members, p); err != nil {
		return err
	}
	if len(members) < 2 {
		p.Log.Info("fewer than two accounts have a queue, so there is nothing to divide", "group", g.Name, "parent", g.Parent, "queues", len(members))
	}
	if len(members) == 0 {
		return nil
	}
	has, level, written := make([]float64, len(members)), make([]weights.Sibling, len(members)), g.written
	for i, m := range members {
		has[i], level[i] = g.Target.Scale().Weight(m.state.Value), m.Sibling
		if m.state.Record != nil && m.state.Record.Written.After(written) {
			written = m.state.Record.Written
		}
	}
	want := weights.Targets(level, g.Rule)
	for i, m := range members {
		levelFS.WithLabelValues(g.Name, m.Account).Set(m.LevelFS)
		wanted.WithLabelValues(g.Name, m.queue).Set(g.Target.Scale().Value(want[i]))
		current.WithLabelValues(g.Name, m.queue).Set(m.state.Value)
	}
	next, due := weights.Next(p.Now, written, has, want, g.Rule)
	if !due {
		return nil
	}
	return g.write(ctx, members, next, p)
}

// members are the children of the parent that have a queue, by name.
func (g *Group) members(shares *pb.ListSharesResponse) ([]member, error) {
	if algorithm := shares.GetFairShareAlgorithm(); algorithm != "fair_tree" {
		return nil, fmt.Errorf("fair_share_algorithm: got %q, want fair_tree, which has LevelFS", algorithm)
	}
	var members []member
	known := false
	for _, row := range shares.GetShares() {
		known = known || row.GetUser() == "" && row.GetAccount() == g.Parent
		if row.GetUser() != "" || row.GetParentAccount() != g.Parent || row.GetParentShares() {
			continue
		}
		queue := row.GetAccount()
		if len(g.Queues) > 0 {
			if queue = g.Queues[row.GetAccount()]; queue == "" {
				continue
			}
		}
		share := 0.0
		if row.GetLevelShares() > 0 {
			share = float64(row.GetRawShares()) / row.GetLevelShares()
		}
		fs := row.GetLevelFs()
		if row.GetLevelFsInfinite() {
			fs = math.Inf(1)
		}
		members = append(members, member{Sibling: weights.Sibling{Account: row.GetAccount(), Share: share, LevelFS: fs}, queue: queue})
	}
	if !known {
		return nil, fmt.Errorf("parent: got %q, want an account of the cluster", g.Parent)
	}
	if len(members) > mostQueues {
		return nil, fmt.Errorf("parent %q: got %d accounts with queues, want at most %d", g.Parent, len(members), mostQueues)
	}
	return members, g.missingAccounts(members)
}

// missingAccounts is an error if the table names accounts that the level does not have.
func (g *Group) missingAccounts(members []member) error {
	left := maps.Clone(g.Queues)
	for _, m := range members {
		delete(left, m.Account)
	}
	if len(left) > 0 {
		names := slices.Sorted(maps.Keys(left))
		return fmt.Errorf("queues: got the accounts %.200q, want children of %q with shares of their own", names, g.Parent)
	}
	return nil
}

// read reads the queues; it returns the members that have one.
func (g *Group) read(ctx context.Context, members []member, p Pass) ([]member, error) {
	var names []string
	for _, m := range members {
		names = append(names, m.queue)
	}
	if len(names) == 0 {
		return nil, nil
	}
	states, err := g.Target.Read(ctx, names, p.Now)
	if err != nil {
		return nil, err
	}
	var found []member
	for _, m := range members {
		m.state = states[m.queue]
		if m.state.Missing && len(g.Queues) > 0 {
			return nil, fmt.Errorf("queues: got %q for account %q, want a queue that exists", m.queue, m.Account)
		}
		if m.state.Missing {
			continue
		}
		if m.state.Problem != "" {
			p.Log.Info("a record of former values is not believed", "group", g.Name, "queue", m.queue, "reason", m.state.Problem)
			g.warn(m.queue, "WeightRecordInvalid", m.state.Problem, p)
		}
		found = append(found, m)
	}
	return found, nil
}

func (g *Group) warn(queue, reason, text string, p Pass) {
	if target, ok := g.Target.(interface {
		Warn(queue, reason, text string)
	}); ok && !p.Dry {
		target.Warn(queue, reason, text)
	}
}

func (g *Group) write(ctx context.Context, members []member, next []float64, p Pass) error {
	var failed []string
	for i, m := range members {
		to := g.Target.Scale().Value(next[i])
		if to == m.state.Value {
			continue
		}
		g.print(p, m, to)
		if err := g.writeOne(ctx, m, to, p); err != nil {
			failed = append(failed, fmt.Sprintf("%q: %v", m.queue, err))
			g.warn(m.queue, "WeightNotWritten", err.Error(), p)
			continue
		}
		if p.Dry {
			continue
		}
		g.written = p.Now
		writes.WithLabelValues(g.Name).Inc()
		current.WithLabelValues(g.Name, m.queue).Set(to)
		p.Log.Info("a weight is written", "group", g.Name, "queue", m.queue, "from", m.state.Value, "to", to)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d weights: %.2000s", len(failed), len(members), strings.Join(failed, "; "))
	}
	return nil
}

// writeOne writes a queue; it reads the queue again if something else changes it meanwhile.
func (g *Group) writeOne(ctx context.Context, m member, to float64, p Pass) error {
	for attempt := 1; ; attempt++ {
		change := targets.Change{Queue: m.queue, To: to, State: m.state, Reason: g.reason(m, to, p)}
		err := g.Target.Write(ctx, change, p.Now, p.Dry)
		if !apierrors.IsConflict(err) || attempt == mostAttempts {
			return err
		}
		states, err := g.Target.Read(ctx, []string{m.queue}, p.Now)
		if err != nil {
			return err
		}
		if m.state = states[m.queue]; m.state.Missing {
			return errors.New("the queue was deleted")
		}
	}
}

func (g *Group) reason(m member, to float64, p Pass) string {
	return fmt.Sprintf("%s: %v becomes %v: account %q has LevelFS %.4g and a share of %.4g in recalculation %d of cluster %q", g.Target.Field(),
		m.state.Value, to, m.Account, m.LevelFS, m.Share, p.Shares.GetSnapshot().GetGeneration(), p.Shares.GetSnapshot().GetCluster())
}

// print prints the difference of a queue.
func (g *Group) print(p Pass, m member, to float64) {
	if p.Out == nil {
		return
	}
	fmt.Fprintf(p.Out, "%s: %s\n-  %q %v\n+  %q %v    # account %q: LevelFS %.4g, share %.4g\n", g.Name, g.Target.Field(),
		m.queue, m.state.Value, m.queue, to, m.Account, m.LevelFS, m.Share)
	if slurm, ok := g.Target.(*targets.Slurm); ok {
		fmt.Fprintf(p.Out, "   %s\n", strings.Join(slurm.Modify(m.queue, to), " "))
	}
}

// Undo restores the values before the first change, of all queues that have a record.
func (g *Group) Undo(ctx context.Context, p Pass) error {
	names := slices.Sorted(maps.Values(g.Queues))
	if len(names) == 0 {
		members, err := g.members(p.Shares)
		if err != nil {
			return err
		}
		for _, m := range members {
			names = append(names, m.queue)
		}
	}
	if len(names) == 0 {
		return nil
	}
	states, err := g.Target.Read(ctx, names, p.Now)
	if err != nil {
		return err
	}
	var failed []string
	for _, queue := range names {
		state := states[queue]
		if state.Problem != "" {
			failed = append(failed, fmt.Sprintf("%q: %s", queue, state.Problem))
		}
		if state.Record == nil {
			continue
		}
		if p.Out != nil {
			fmt.Fprintf(p.Out, "%s: %s of %q: %v, restored to %v\n", g.Name, g.Target.Field(), queue, state.Value, state.Record.Former)
		}
		if err := g.Target.Restore(ctx, queue, state, p.Dry); err != nil {
			failed = append(failed, fmt.Sprintf("%q: %v", queue, err))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d queues are not restored: %.2000s", len(failed), len(names), strings.Join(failed, "; "))
	}
	return nil
}
