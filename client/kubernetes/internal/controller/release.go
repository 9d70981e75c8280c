package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/release"
	"priorityd/kubernetes/internal/workload"
)

const (
	releasePause = 200 * time.Millisecond
	releaseAgain = 5 * time.Second
	refusedFor   = time.Minute      // The time for which to skip work whose release the API server rejected.
	rankLimit    = 10 * time.Second // The deadline of the call for the order.
	mostTop      = 20_000           // The most considered entries of the order.
)

// Releaser releases Jobs and Pods.
type Releaser interface {
	// Release lets a Job or Pod run, and updates the book. A deleted or already released one is no error.
	Release(ctx context.Context, r *workload.Record) error
	// Try reports what Release would. A deleted one is an error.
	Try(ctx context.Context, r *workload.Record) error
}

// Release releases plain Jobs and Pods in the order of priorityd, one at a time: priorityd is informed of each
// before the next request for the order, because limits of users and accounts may depend on it.
type Release struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Machine   *Machine
	Queue     *Queue
	Releaser  Releaser
	Top       uint32        // The considered top of the order.
	Limit     time.Duration // The assumed time limit of work without one.
	FIFOAfter time.Duration // After so long without priorityd, release in order of submission; 0 = never.
	Now       func() time.Time
	Report    func(r *workload.Record, reason, text string) // Warns of a release.
	Log       logr.Logger

	wake    signal
	away    time.Time               // Since when priorityd is unreachable; zero = it is reachable.
	refused map[types.UID]time.Time // The end of the skip of each.
	left    map[types.UID]bool      // Members whose gang's turn an error ended.
	skipped int                     // The entries of the last pass that were refused, or have no room at any time.

	mutex sync.Mutex
	order []*pb.RankedJob
	total uint32
	whys  map[types.UID]string
}

// NewRelease makes a Release that observes the book.
func NewRelease(service pb.PriorityServiceClient, book *Book, machine *Machine, queue *Queue, releaser Releaser) *Release {
	r := &Release{Service: service, Book: book, Machine: machine, Queue: queue, Releaser: releaser, Top: 500,
		Now: time.Now, Report: func(*workload.Record, string, string) {}, Log: logr.Discard(), wake: machine.Wake,
		refused: map[types.UID]time.Time{}, left: map[types.UID]bool{}, whys: map[types.UID]string{}}
	book.Observe(r)
	return r
}

// Changed wakes the loop.
func (r *Release) Changed(*workload.Record, string) { r.wake.raise() }

// Gone may have made room.
func (r *Release) Gone(*workload.Record, string) { r.wake.raise() }

// Start releases until the context ends.
func (r *Release) Start(ctx context.Context) error {
	return inTurns(ctx, r.wake, releasePause, releaseAgain, r.turn)
}

// turn releases one after the other, until no eligible work has room.
func (r *Release) turn(ctx context.Context) {
	done := map[types.UID]bool{} // Each at most once, also if it was deleted and the informer has not reported it yet.
	for {
		next, err := r.next(ctx, done)
		if err == nil && next != nil {
			done[next.UID] = true
			err = r.release(ctx, next)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Info("nothing released; retrying", "error", err.Error())
		}
		if err != nil || next == nil {
			return
		}
	}
}

// release releases a record, or all members of its gang. Those that an error leaves are the first of the next turn. Only this
// controller's memory names them: what the API server has of them (time, owner, label), its user can write.
func (r *Release) release(ctx context.Context, next *workload.Record) error {
	together := r.Book.Together(next, r.Now())
	if may, err := r.mayAll(ctx, next, together); err != nil || !may {
		return err
	}
	if jobs := r.Book.Counted(next); jobs > 0 {
		r.Report(next, "GangSizeUnknown", fmt.Sprintf("its JobSet does not state the number of its Jobs by the label %s: the %d that are there start together", workload.JobSetReplicas, jobs))
	}
	var released []types.UID
	var failed error
	for _, member := range together {
		done := false
		if failed == nil {
			done, failed = r.releaseOne(ctx, member)
		}
		if done {
			released = append(released, member.UID)
		}
		if delete(r.left, member.UID); failed != nil && len(released) > 0 {
			r.left[member.UID] = true
		}
	}
	if r.isAway() || len(released) == 0 {
		return failed
	}
	return errors.Join(failed, r.Queue.SendNow(ctx, released...))
}

// mayAll reports whether the API server would release all members of a gang. Members that it rejected before are tried first.
func (r *Release) mayAll(ctx context.Context, next *workload.Record, together []*workload.Record) (bool, error) {
	if len(together) < 2 {
		return true, nil
	}
	slices.SortStableFunc(together, func(a, b *workload.Record) int { return r.refused[b.UID].Compare(r.refused[a.UID]) })
	for _, member := range together {
		err := r.Releaser.Try(ctx, member)
		pause := refusedFor
		switch {
		case err == nil:
			continue
		case apierrors.IsNotFound(err): // The informer has not reported the deletion yet.
			return false, nil
		case apierrors.IsConflict(err):
			pause = releaseAgain
		case !concernsOne(err):
			return false, fmt.Errorf("%s: %w", member.Key(), err)
		}
		r.refuse(member, 2*pause, err)
		if next != member {
			r.refuse(next, pause, fmt.Errorf("%s of its gang is not released: %w", member.Key(), err))
		}
		return false, nil
	}
	return true, nil
}

// refuse skips work for a while.
func (r *Release) refuse(work *workload.Record, pause time.Duration, err error) {
	r.refused[work.UID] = r.Now().Add(pause)
	r.Log.Info("not released", "kind", work.Kind, "name", work.Key().String(), "error", err.Error())
	r.Report(work, "NotReleased", err.Error())
}

// releaseOne releases a Job or a Pod; false = the API server rejects that, or the owner changes it again and again, which
// must not delay others: the next turn tries again.
func (r *Release) releaseOne(ctx context.Context, next *workload.Record) (bool, error) {
	if err := r.Releaser.Release(ctx, next); apierrors.IsConflict(err) {
		r.Log.Info("not released; retrying", "kind", next.Kind, "name", next.Key().String(), "error", err.Error())
		return false, nil
	} else if concernsOne(err) {
		r.refuse(next, refusedFor, err)
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("%s: %w", next.Key(), err)
	}
	releases.WithLabelValues(string(next.Kind)).Inc()
	r.Log.Info("released", "kind", next.Kind, "name", next.Key().String())
	return true, nil
}

// next is the next record to release; nil = none.
func (r *Release) next(ctx context.Context, done map[types.UID]bool) (*workload.Record, error) {
	waiting, err := r.waiting(ctx)
	if err != nil {
		return nil, err
	}
	now := r.Now()
	maps.DeleteFunc(r.refused, func(_ types.UID, until time.Time) bool { return !now.Before(until) })
	maps.DeleteFunc(r.left, func(uid types.UID, _ bool) bool {
		w, _ := r.Book.Get(uid)
		return w == nil || !w.Pending()
	})
	first := r.Book.First(r.left)
	waiting = append(first, slices.DeleteFunc(waiting, func(w *workload.Record) bool { return slices.Contains(first, w) })...)
	all := len(waiting)
	waiting = slices.DeleteFunc(waiting, func(w *workload.Record) bool { return done[w.UID] || !r.refused[w.UID].IsZero() })
	skipped := all - len(waiting)
	running, byUID := r.running()
	plan := release.New(now, r.Machine.Nodes(), r.Machine.On(now, byUID, r.limit))
	for _, a := range r.Machine.ToCome(running, r.limit) {
		plan.Decide(&a)
	}
	whys := map[types.UID]string{}
	for _, w := range waiting {
		together := r.Book.Together(w, now)
		if together == nil {
			continue
		}
		a := askOfAll(together, r.limit(w))
		decision := plan.Decide(&a)
		if decision.Start {
			return w, nil
		}
		if decision.Never {
			skipped++
		}
		whys[w.UID] = decision.Why
	}
	r.skipped = skipped
	r.mutex.Lock()
	r.whys = whys
	r.mutex.Unlock()
	return nil, nil
}

func (r *Release) limit(w *workload.Record) time.Duration { return cmp.Or(w.TimeLimit, r.Limit) }

// running are the released, unfinished records, in order of release.
func (r *Release) running() ([]*workload.Record, map[types.UID]*workload.Record) {
	var running []*workload.Record
	byUID := map[types.UID]*workload.Record{}
	for _, w := range r.Book.Records("") {
		if w.Plain != nil && !w.Reserved.IsZero() && w.Finished.IsZero() {
			running = append(running, w)
			byUID[w.UID] = w
		}
	}
	slices.SortFunc(running, func(a, b *workload.Record) int {
		return cmp.Or(a.Reserved.Compare(b.Reserved), cmp.Compare(a.UID, b.UID))
	})
	return running, byUID
}

// waiting are the pending records in the order of priorityd; after FIFOAfter without it, in its last order, then
// in order of submission.
func (r *Release) waiting(ctx context.Context) ([]*workload.Record, error) {
	if err := r.ask(ctx); err != nil {
		if r.FIFOAfter == 0 || r.Now().Sub(r.away) < r.FIFOAfter {
			return nil, err
		}
		return r.firstIn(), nil
	}
	var waiting []*workload.Record
	for _, row := range r.ranked() {
		if w, _ := r.Book.Get(types.UID(row.GetJobId())); w != nil && w.Pending() && w.Plain != nil {
			waiting = append(waiting, w)
		}
	}
	return waiting, nil
}

// ask requests the order from priorityd, after a full sync.
func (r *Release) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, rankLimit)
	defer cancel()
	if err := r.Queue.Synced(); err != nil {
		r.missed()
		return err
	}
	answer, err := r.Service.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Limit: r.considered(),
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		r.missed()
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.away, r.order, r.total = time.Time{}, answer.GetRanked(), answer.GetRankedTotal()
	rankingSeen.WithLabelValues("plain").SetToCurrentTime()
	return nil
}

// considered is the number of entries to request: those that cannot start do not fill the top, so they delay no others.
func (r *Release) considered() uint32 {
	return max(r.Top, uint32(min(int(r.Top)+2*r.skipped, mostTop)))
}

func (r *Release) missed() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.away.IsZero() {
		r.away = r.Now()
	}
}

func (r *Release) isAway() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return !r.away.IsZero()
}

func (r *Release) ranked() []*pb.RankedJob {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.order
}

func (r *Release) firstIn() []*workload.Record {
	places, order := map[types.UID]int{}, r.ranked()
	for i, row := range order {
		places[types.UID(row.GetJobId())] = i - len(order)
	}
	var waiting []*workload.Record
	for _, w := range r.Book.Records("") {
		if w.Plain != nil && w.Pending() && !w.Held {
			waiting = append(waiting, w)
		}
	}
	slices.SortFunc(waiting, func(a, b *workload.Record) int {
		return cmp.Or(cmp.Compare(places[a.UID], places[b.UID]), a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID))
	})
	return waiting
}

// Names is the only order: Jobs and Pods of all queues run on the same nodes.
func (r *Release) Names() []string { return []string{""} }

// TopOf is the considered top of the start order, and its whole length; both are the same for every queue.
func (r *Release) TopOf(string) ([]*pb.RankedJob, uint32) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.order, r.total
}

// Why is the reason why a record of the order was not released in the last pass; empty = not known.
func (r *Release) Why(uid types.UID) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.whys[uid]
}
