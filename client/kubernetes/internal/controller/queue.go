package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	jobsOfBatch = 5000
	sendPause   = time.Second
	sendAgain   = time.Minute
	syncEvery   = time.Hour // priorityd may have been restored from a backup.
)

// Queue sends the Workloads to priorityd: all of them when the controller becomes the leader and every hour,
// changes once a second.
type Queue struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Source    string
	Provision *Provision // nil = priorityd knows accounts, users, partitions and QOS from elsewhere.
	Report    func(*workload.Record, *pb.JobUpdateResult)
	Log       logr.Logger

	wake    signal
	mutex   sync.Mutex
	leads   bool // Changes before that are part of the first full sync.
	changed map[types.UID]bool
	refused map[types.UID]bool
	looked  time.Time

	sending sync.Mutex // Held while sending, so that no older state is sent after a newer one.
	synced  time.Time  // Time of the last full sync.
}

// NewQueue makes a Queue that observes the book.
func NewQueue(service pb.PriorityServiceClient, book *Book, source string) *Queue {
	q := &Queue{Service: service, Book: book, Source: source, wake: newSignal(), Log: logr.Discard(),
		Report: func(*workload.Record, *pb.JobUpdateResult) {}, changed: map[types.UID]bool{}, refused: map[types.UID]bool{}}
	book.Observe(q)
	return q
}

// Changed notes a Workload to send.
func (q *Queue) Changed(r *workload.Record, _ string) { q.note(r.UID) }

// Gone notes a Workload to remove.
func (q *Queue) Gone(r *workload.Record, _ string) { q.note(r.UID) }

func (q *Queue) note(uid types.UID) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.leads {
		q.changed[uid] = true
		q.wake.raise()
	}
}

// Start sends until the context ends.
func (q *Queue) Start(ctx context.Context) error {
	q.lead()
	return inTurns(ctx, q.wake, sendPause, sendAgain, q.turn)
}

func (q *Queue) lead() {
	q.mutex.Lock()
	q.leads = true
	q.mutex.Unlock()
	q.sending.Lock()
	q.synced = time.Time{}
	q.sending.Unlock()
}

func (q *Queue) turn(ctx context.Context) {
	if time.Since(q.looked) >= sendAgain {
		q.looked = time.Now()
		q.retryRefused()
	}
	changed := q.take()
	if err := q.sendChanges(ctx, changed); err != nil {
		q.giveBack(changed)
		if ctx.Err() == nil {
			q.Log.Error(err, "changes not sent to priorityd; retrying", "workloads", len(changed))
		}
	}
}

// SendNow sends some Workloads at once.
func (q *Queue) SendNow(ctx context.Context, uids ...types.UID) error {
	q.sending.Lock()
	defer q.sending.Unlock()
	return q.send(ctx, q.batch(uids))
}

// Synced is an error until the first full sync.
func (q *Queue) Synced() error {
	q.sending.Lock()
	defer q.sending.Unlock()
	if q.synced.IsZero() {
		return errors.New("no full sync to priorityd yet")
	}
	return nil
}

func (q *Queue) sendChanges(ctx context.Context, changed []types.UID) error {
	q.sending.Lock()
	defer q.sending.Unlock()
	if time.Since(q.synced) >= syncEvery {
		return q.sendAll(ctx)
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

// sendAll sends all unfinished Workloads: priorityd removes every other job of this source.
func (q *Queue) sendAll(ctx context.Context) error {
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
	q.Log.Info("all workloads sent to priorityd", "workloads", len(request.Upserts))
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

// upsert leaves out a Workload that is no job in priorityd.
func (q *Queue) upsert(request *pb.UpdateJobsRequest, r *workload.Record) bool {
	job := q.Book.Job(r)
	if job == nil {
		return false
	}
	request.Upserts = append(request.Upserts, job)
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
	// priorityd keeps the older state of a refused job. Remove it, so that no job starts by it.
	return q.send(ctx, outdated)
}

// isRefused reads the outcome of a job, and marks a refused one for a retry.
func (q *Queue) isRefused(result *pb.JobUpdateResult) bool {
	jobsSent.WithLabelValues(outcomeName(result.GetOutcome())).Inc()
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
		q.Report(r, result)
	}
	return true
}

// take returns the changes since the last take.
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

// retryRefused sends refused jobs again: a limit may have room, an account may exist by now.
func (q *Queue) retryRefused() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for uid := range q.refused {
		q.changed[uid] = true
	}
	clear(q.refused)
}
