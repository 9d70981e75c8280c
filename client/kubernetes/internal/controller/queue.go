package controller

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// Bounds of a request, so that no amount of work in one namespace makes priorityd refuse that of all: by default it takes
// 200,000 jobs and 64 MiB.
const (
	jobsOfBatch  = 5000
	bytesOfBatch = 8 << 20
	jobsOfSync   = 200_000
	bytesOfSync  = 48 << 20
	fewestBytes  = 64 << 10
)

const (
	sendPause = time.Second
	sendAgain = time.Minute
	syncEvery = time.Hour // priorityd may have been restored from a backup.
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
	bytes   int        // The most of a request; less than bytesOfSync once priorityd has refused one.
}

// NewQueue makes a Queue that observes the book.
func NewQueue(service pb.PriorityServiceClient, book *Book, source string) *Queue {
	q := &Queue{Service: service, Book: book, Source: source, bytes: bytesOfSync, wake: newSignal(), Log: logr.Discard(),
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
	q.synced, q.bytes = time.Time{}, bytesOfSync
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
	return q.sendBatches(ctx, uids)
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
	return q.sendBatches(ctx, changed)
}

func (q *Queue) sendBatches(ctx context.Context, uids []types.UID) error {
	for len(uids) > 0 {
		request, count := q.batch(uids)
		if err := q.send(ctx, request); err != nil {
			return err
		}
		uids = uids[count:]
	}
	return nil
}

// sendAll sends all unfinished Workloads: priorityd removes every other job of this source. What a request has no room for
// is sent after it, as changes.
func (q *Queue) sendAll(ctx context.Context) error {
	request, rest := &pb.UpdateJobsRequest{Source: q.Source, FullSync: true}, inTurn(q.Book.Records(""))
	for bytes := 0; len(rest) > 0 && bytes < q.bytes && len(request.Upserts) < jobsOfSync; rest = rest[1:] {
		bytes += q.upsert(request, rest[0])
	}
	q.Provision.Forget()
	if err := q.send(ctx, request); err != nil {
		return err
	}
	q.synced = time.Now()
	for _, r := range rest {
		q.note(r.UID)
	}
	q.Log.Info("all workloads sent to priorityd", "workloads", len(request.Upserts), "to follow", len(rest))
	return nil
}

// inTurn are the unfinished records: first those that run, then the oldest pending one of each namespace, then the next ones.
func inTurn(records []*workload.Record) []*workload.Record {
	records = slices.DeleteFunc(records, func(r *workload.Record) bool { return !r.Finished.IsZero() })
	slices.SortFunc(records, func(a, b *workload.Record) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID))
	})
	turns, of := map[types.UID]int{}, map[string]int{}
	for _, r := range records {
		if r.Pending() {
			of[r.Namespace]++
			turns[r.UID] = of[r.Namespace]
		}
	}
	slices.SortStableFunc(records, func(a, b *workload.Record) int { return cmp.Compare(turns[a.UID], turns[b.UID]) })
	return records
}

// batch is the request of the first Workloads, as many as it has room for, and their number.
func (q *Queue) batch(uids []types.UID) (*pb.UpdateJobsRequest, int) {
	request := &pb.UpdateJobsRequest{Source: q.Source}
	count := 0
	for bytes := 0; count < min(len(uids), jobsOfBatch) && bytes < min(bytesOfBatch, q.bytes); count++ {
		r, _ := q.Book.Get(uids[count])
		size := 0
		if r != nil {
			size = q.upsert(request, r)
		}
		if bytes += size; size == 0 {
			request.Removals = append(request.Removals, string(uids[count]))
		}
	}
	return request, count
}

// upsert adds the job of a Workload, and returns its size in bytes; 0 = it is no job in priorityd.
func (q *Queue) upsert(request *pb.UpdateJobsRequest, r *workload.Record) int {
	job := q.Book.Job(r)
	if job == nil {
		return 0
	}
	request.Upserts = append(request.Upserts, job)
	return proto.Size(job)
}

func (q *Queue) send(ctx context.Context, request *pb.UpdateJobsRequest) error {
	if len(request.Upserts) == 0 && len(request.Removals) == 0 && !request.FullSync {
		return nil
	}
	if err := q.Provision.Jobs(ctx, request.Upserts); err != nil {
		return err
	}
	answer, err := q.Service.UpdateJobs(ctx, request)
	if status.Code(err) == codes.ResourceExhausted { // It may be set to take less.
		q.bytes = max(min(q.bytes, proto.Size(request))/2, fewestBytes)
	}
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

// isRefused reads the outcome of a job, and marks a refused one for a retry. An invalid one is sent again when it changes.
func (q *Queue) isRefused(result *pb.JobUpdateResult) bool {
	jobsSent.WithLabelValues(outcomeName(result.GetOutcome())).Inc()
	switch result.GetOutcome() {
	case pb.UpdateOutcome_UPDATE_OUTCOME_REFUSED, pb.UpdateOutcome_UPDATE_OUTCOME_INVALID:
	default:
		return false
	}
	uid := types.UID(result.GetJobId())
	if result.GetOutcome() == pb.UpdateOutcome_UPDATE_OUTCOME_REFUSED {
		q.mutex.Lock()
		q.refused[uid] = true
		q.mutex.Unlock()
	}
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
