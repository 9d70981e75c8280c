package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	jobsOfBatch = 5000
	tellPause   = time.Second
	tellAgain   = time.Minute
	tellAll     = time.Hour // priorityd may have been restored from a backup.
)

// Queue tells priorityd which Workloads there are: all of them when it begins to lead and every hour, what
// changes once a second.
type Queue struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Source    string
	Provision *Provision // nil = priorityd knows accounts, users, partitions and QOS from elsewhere.
	Tell      func(*workload.Record, *pb.JobUpdateResult)
	Log       logr.Logger

	wake    signal
	mutex   sync.Mutex
	changed map[types.UID]bool
	refused map[types.UID]bool
	looked  time.Time

	telling sync.Mutex // Of who tells, so that nothing old is told after something new.
	synced  time.Time  // When priorityd was told of all.
}

// NewQueue makes one that observes the book.
func NewQueue(service pb.PriorityServiceClient, book *Book, source string) *Queue {
	q := &Queue{Service: service, Book: book, Source: source, wake: newSignal(), Log: logr.Discard(),
		Tell: func(*workload.Record, *pb.JobUpdateResult) {}, changed: map[types.UID]bool{}, refused: map[types.UID]bool{}}
	book.Observe(q)
	return q
}

// Changed notes that a Workload is to be told.
func (q *Queue) Changed(r *workload.Record, _ string) { q.note(r.UID) }

// Gone notes that a Workload is to be taken away.
func (q *Queue) Gone(r *workload.Record, _ string) { q.note(r.UID) }

func (q *Queue) note(uid types.UID) {
	q.mutex.Lock()
	q.changed[uid] = true
	q.mutex.Unlock()
	q.wake.raise()
}

// Start tells until the context ends.
func (q *Queue) Start(ctx context.Context) error {
	q.telling.Lock()
	q.synced = time.Time{}
	q.telling.Unlock()
	return inTurns(ctx, q.wake, tellPause, tellAgain, q.turn)
}

func (q *Queue) turn(ctx context.Context) {
	if time.Since(q.looked) >= tellAgain {
		q.looked = time.Now()
		q.tellRefusedAgain()
	}
	told := q.take()
	if err := q.tell(ctx, told); err != nil {
		q.giveBack(told)
		if ctx.Err() == nil {
			q.Log.Error(err, "priorityd is not told of changes; they are kept", "workloads", len(told))
		}
	}
}

// TellNow tells of one at once.
func (q *Queue) TellNow(ctx context.Context, uid types.UID) error {
	q.telling.Lock()
	defer q.telling.Unlock()
	return q.send(ctx, q.batch([]types.UID{uid}))
}

// Synced is an error until priorityd has been told of all.
func (q *Queue) Synced() error {
	q.telling.Lock()
	defer q.telling.Unlock()
	if q.synced.IsZero() {
		return errors.New("priorityd has not been told of all yet")
	}
	return nil
}

func (q *Queue) tell(ctx context.Context, changed []types.UID) error {
	q.telling.Lock()
	defer q.telling.Unlock()
	if time.Since(q.synced) >= tellAll {
		return q.tellAll(ctx)
	}
	for len(changed) > 0 {
		count := min(len(changed), jobsOfBatch)
		if err := q.send(ctx, q.batch(changed[:count])); err != nil {
			return err
		}
		changed = changed[count:]
	}
	return nil
}

// tellAll tells of all Workloads that are not over: what priorityd has besides is no more.
func (q *Queue) tellAll(ctx context.Context) error {
	request := &pb.UpdateJobsRequest{Source: q.Source, FullSync: true}
	for _, r := range q.Book.Records("") {
		if r.Finished.IsZero() {
			q.upsert(request, r)
		}
	}
	if err := q.send(ctx, request); err != nil {
		return err
	}
	q.synced = time.Now()
	q.Log.Info("priorityd has been told of all workloads", "workloads", len(request.Upserts))
	return nil
}

func (q *Queue) batch(uids []types.UID) *pb.UpdateJobsRequest {
	request := &pb.UpdateJobsRequest{Source: q.Source}
	for _, uid := range uids {
		if r, _ := q.Book.Get(uid); r == nil || !q.upsert(request, r) {
			request.Removals = append(request.Removals, string(uid))
		}
	}
	return request
}

// upsert leaves out who stands in no ClusterQueue: nobody could rank it.
func (q *Queue) upsert(request *pb.UpdateJobsRequest, r *workload.Record) bool {
	place := q.Book.PlaceOf(r)
	if place.Partition == "" {
		return false
	}
	request.Upserts = append(request.Upserts, r.Job(place))
	return true
}

func (q *Queue) send(ctx context.Context, request *pb.UpdateJobsRequest) error {
	if len(request.Upserts) == 0 && len(request.Removals) == 0 && !request.FullSync {
		return nil
	}
	if err := q.Provision.Jobs(ctx, request.Upserts); err != nil {
		return err
	}
	answer, err := q.Service.UpdateJobs(ctx, request)
	if err != nil {
		return err
	}
	outdated := &pb.UpdateJobsRequest{Source: q.Source}
	for _, result := range answer.GetUpserts() {
		if q.isRefused(result) {
			outdated.Removals = append(outdated.Removals, result.GetJobId())
		}
	}
	// What is refused stays there as it was told before, if it was: nobody is to start by that.
	return q.send(ctx, outdated)
}

// isRefused reads what became of a job, and has one that was refused told again in a while.
func (q *Queue) isRefused(result *pb.JobUpdateResult) bool {
	jobsTold.WithLabelValues(outcomeName(result.GetOutcome())).Inc()
	switch result.GetOutcome() {
	case pb.UpdateOutcome_UPDATE_OUTCOME_REFUSED, pb.UpdateOutcome_UPDATE_OUTCOME_INVALID:
	default:
		return false
	}
	uid := types.UID(result.GetJobId())
	q.mutex.Lock()
	q.refused[uid] = true
	q.mutex.Unlock()
	if r, _ := q.Book.Get(uid); r != nil {
		q.Tell(r, result)
	}
	return true
}

// take is what has changed since it was last taken.
func (q *Queue) take() []types.UID {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	uids := make([]types.UID, 0, len(q.changed))
	for uid := range q.changed {
		uids = append(uids, uid)
	}
	clear(q.changed)
	return uids
}

func (q *Queue) giveBack(uids []types.UID) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, uid := range uids {
		q.changed[uid] = true
	}
}

// tellRefusedAgain: a limit may have room again, an account may have been made.
func (q *Queue) tellRefusedAgain() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for uid := range q.refused {
		q.changed[uid] = true
	}
	clear(q.refused)
}
