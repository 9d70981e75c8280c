package controller

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/apimachinery/pkg/types"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/boost"
	"priorityd/kubernetes/internal/workload"
)

const (
	lookForQueues = time.Second
	planPause     = 100 * time.Millisecond
	planAgain     = 10 * time.Second
	watchAgain    = 5 * time.Second
	ageInterval   = 10 * time.Second
	minInterval   = 200 * time.Millisecond
)

// Ranking makes Kueue's order that of priorityd: for each ClusterQueue it watches the top of the start order, and
// writes the boosts that give it.
type Ranking struct {
	Client    *client.Client
	Book      *Book
	Annotator Annotator
	Boosts    *Boosts // nil = boosts are annotations.
	Shape     boost.Shape
	Top       uint32 // The ranked Workloads of each ClusterQueue.
	Log       logr.Logger

	mutex  sync.Mutex
	queues map[string]*rankedQueue
}

// NewRanking makes a Ranking that observes the book.
func NewRanking(c *client.Client, book *Book, annotator Annotator, top uint32) *Ranking {
	r := &Ranking{Client: c, Book: book, Annotator: annotator, Shape: boost.DefaultShape, Top: top,
		Log: logr.Discard(), queues: map[string]*rankedQueue{}}
	book.Observe(r)
	return r
}

// Changed wakes the order of the queue.
func (r *Ranking) Changed(_ *workload.Record, queue string) { r.raise(queue) }

// Gone changes no other boost.
func (r *Ranking) Gone(*workload.Record, string) {}

func (r *Ranking) raise(queue string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if q := r.queues[queue]; q != nil {
		q.wake.raise()
	}
}

// Start writes boosts until the context ends.
func (r *Ranking) Start(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	return inTurns(ctx, nil, 0, lookForQueues, func(ctx context.Context) {
		for _, name := range r.Book.ClusterQueues() {
			if q := r.add(name); q != nil {
				running.Go(func() { q.watch(ctx) })
				running.Go(func() { inTurns(ctx, q.wake, planPause, planAgain, q.write) })
			}
		}
	})
}

// add is the queue of a new name, else nil.
func (r *Ranking) add(name string) *rankedQueue {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.queues[name] != nil {
		return nil
	}
	q := &rankedQueue{ranking: r, name: name, wake: newSignal(), log: r.Log.WithValues("clusterQueue", name)}
	r.queues[name] = q
	return q
}

// Names are the names of the ClusterQueues.
func (r *Ranking) Names() []string { return r.Book.ClusterQueues() }

// Why is empty: Kueue reports what a ranked Workload waits for apart from those before it.
func (r *Ranking) Why(types.UID) string { return "" }

// TopOf is the watched top of a ClusterQueue's start order, and the order's whole length.
func (r *Ranking) TopOf(queue string) ([]*pb.RankedJob, uint32) {
	r.mutex.Lock()
	q := r.queues[queue]
	r.mutex.Unlock()
	if q == nil {
		return nil, 0
	}
	top := q.latest()
	return top.ranked, top.total
}

// rankedQueue is one ClusterQueue.
type rankedQueue struct {
	ranking *Ranking
	name    string
	wake    signal
	log     logr.Logger

	mutex sync.Mutex
	top   top
}

type top struct {
	ranked []*pb.RankedJob
	total  uint32
	known  bool
	at     time.Time
}

func (q *rankedQueue) latest() top {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return q.top
}

// watch follows the order until the context ends; while priorityd is unreachable the last order stays valid.
func (q *rankedQueue) watch(ctx context.Context) {
	for {
		err := q.watchOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		q.log.Info("start order not watched; boosts stay unchanged", "error", err.Error())
		if !sleep(ctx, watchAgain) {
			return
		}
	}
}

func (q *rankedQueue) watchOnce(ctx context.Context) error {
	watch := q.ranking.Client.NewRankingWatch(&pb.WatchRankingRequest{
		Limit: q.ranking.Top, BestOnly: true, Partitions: []string{q.name},
		AgeInterval: durationpb.New(ageInterval), MinInterval: durationpb.New(minInterval),
	}, client.WatchOptions{})
	for update, err := range watch.Updates(ctx) {
		if err != nil {
			return err
		}
		q.mutex.Lock()
		q.top = top{update.Top, update.Answer.GetRankedTotal(), true, time.Now()}
		q.mutex.Unlock()
		rankingSeen.WithLabelValues(q.name).SetToCurrentTime()
		q.wake.raise()
	}
	return ctx.Err()
}

// write corrects wrong boosts, in start order, until the order changes.
func (q *rankedQueue) write(ctx context.Context) {
	top := q.latest()
	form, formKnown := q.ranking.Boosts.Form()
	if !top.known || !formKnown {
		return
	}
	for _, change := range q.changes(top.ranked, form) {
		if q.latest().at != top.at {
			q.wake.raise()
			return
		}
		if err := q.ranking.Annotator.Lift(ctx, change.record, change.by, form); err != nil {
			if ctx.Err() == nil {
				q.log.Info("boost not written; retrying", "workload", change.record.Key(), "error", err.Error())
			}
			if concernsOne(err) {
				continue
			}
			return
		}
		boostsWritten.Inc()
		ordered.Observe(time.Since(top.at).Seconds())
	}
}

type change struct {
	record *workload.Record
	by     int32
}

// changes are the boosts to write: of the order, then of Workloads with quota, then of the rest.
func (q *rankedQueue) changes(ranked []*pb.RankedJob, form Form) []change {
	waiting := q.waiting(ranked)
	changes := q.changesOfOrder(waiting, form)
	inOrder := make(map[types.UID]bool, len(waiting))
	for _, r := range waiting {
		inOrder[r.UID] = true
	}
	for _, r := range q.ranking.Book.Records(q.name) {
		switch {
		case inOrder[r.UID]:
		case !r.Reserved.IsZero():
			changes = appendChange(changes, r, by(boost.Running, r.Priority), form)
		case r.Pending():
			changes = appendChange(changes, r, by(0, r.Priority), form)
		}
	}
	return changes
}

// waiting are the pending Workloads of the order, by the book.
func (q *rankedQueue) waiting(ranked []*pb.RankedJob) []*workload.Record {
	var waiting []*workload.Record
	for _, row := range ranked {
		r, place := q.ranking.Book.Get(types.UID(row.GetJobId()))
		if r != nil && r.Pending() && place.Partition == q.name {
			waiting = append(waiting, r)
		}
	}
	return waiting
}

// changesOfOrder are the changes of pending Workloads in the order.
func (q *rankedQueue) changesOfOrder(waiting []*workload.Record, form Form) []change {
	now := make([]int32, len(waiting))
	for i, r := range waiting {
		now[i] = effective(r)
	}
	var changes []change
	for i, priority := range boost.Plan(now, q.ranking.Shape) {
		changes = appendChange(changes, waiting[i], by(priority, waiting[i].Priority), form)
	}
	return changes
}

func appendChange(changes []change, r *workload.Record, by int32, form Form) []change {
	if form.has(r, by) {
		return changes
	}
	return append(changes, change{r, by})
}

// boostOf is the boost of a Workload; false = its annotation is no number.
func boostOf(r *workload.Record) (int32, bool) {
	if r.Boost == "" {
		return 0, true
	}
	by, err := strconv.ParseInt(r.Boost, 10, 32)
	return int32(by), err == nil
}

// effective is the priority that Kueue orders a Workload by; 0 = Plan cannot have given it. The annotation, which was
// first, counts if it and the field differ.
func effective(r *workload.Record) int32 {
	by, ok := boostOf(r)
	if r.Boost == "" {
		by = fieldOf(r)
	}
	sum := int64(r.Priority) + int64(by)
	if !ok || sum < int64(boost.Lowest) || sum > int64(boost.Highest) || r.Boost == "" && r.Field == nil {
		return 0
	}
	return int32(sum)
}

// by is the boost from one priority to another.
func by(wanted, priority int32) int32 {
	return int32(min(max(int64(wanted)-int64(priority), -1<<31), 1<<31-1))
}
