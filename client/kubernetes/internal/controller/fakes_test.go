package controller

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

var errAway = errors.New("priorityd is away")

// service is a fake priorityd that takes jobs and records.
type service struct {
	pb.PriorityServiceClient
	mutex   sync.Mutex
	away    int // So many calls fail, half of them after they took effect.
	updates []*pb.UpdateJobsRequest
	refuse  map[string]bool
	records map[string]*pb.UsageRecord
	unknown map[string]bool // Accounts that do not exist.
	down    bool            // All calls fail.
	order   []string        // The start order of all possible jobs.
	most    int             // The limit of running jobs; 0 = none.
	states  map[string]pb.JobState
	takes   int // The most bytes of an update.
}

func newService() *service {
	return &service{takes: 64 << 20, records: map[string]*pb.UsageRecord{}, unknown: map[string]bool{}, refuse: map[string]bool{}, states: map[string]pb.JobState{}}
}

func (s *service) fails() (before, after bool) {
	if s.down {
		return true, false
	}
	if s.away == 0 {
		return false, false
	}
	s.away--
	return s.away%2 == 0, s.away%2 == 1
}

func (s *service) UpdateJobs(_ context.Context, request *pb.UpdateJobsRequest, _ ...grpc.CallOption) (*pb.UpdateJobsResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if before, after := s.fails(); before || after {
		return nil, errAway
	}
	if size := proto.Size(request); size > s.takes || len(request.Upserts) > 200_000 { // priorityd's own bounds.
		return nil, status.Errorf(codes.ResourceExhausted, "got %d bytes and %d jobs, want at most %d and 200000 jobs a call", size, len(request.Upserts), s.takes)
	}
	s.updates = append(s.updates, request)
	answer := &pb.UpdateJobsResponse{}
	for _, job := range request.Upserts {
		outcome := pb.UpdateOutcome_UPDATE_OUTCOME_UPSERTED
		if s.refuse[job.JobId] {
			outcome = pb.UpdateOutcome_UPDATE_OUTCOME_REFUSED
		} else if len(job.Tres) > 64 {
			outcome = pb.UpdateOutcome_UPDATE_OUTCOME_INVALID
		} else {
			s.states[job.JobId] = job.State
		}
		answer.Upserts = append(answer.Upserts, &pb.JobUpdateResult{JobId: job.JobId, Outcome: outcome})
	}
	return answer, nil
}

// RankJobs ranks the pending jobs, up to the limit of running ones.
func (s *service) RankJobs(_ context.Context, request *pb.RankJobsRequest, _ ...grpc.CallOption) (*pb.RankJobsResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.down {
		return nil, errAway
	}
	running := 0
	for _, state := range s.states {
		if state == pb.JobState_JOB_STATE_RUNNING {
			running++
		}
	}
	answer := &pb.RankJobsResponse{}
	for _, id := range s.order {
		if s.states[id] == pb.JobState_JOB_STATE_PENDING && (s.most == 0 || running < s.most) {
			answer.Ranked = append(answer.Ranked, &pb.RankedJob{JobId: id})
		}
	}
	answer.RankedTotal = uint32(len(answer.Ranked))
	answer.Ranked = answer.Ranked[:min(len(answer.Ranked), int(request.GetLimit()))]
	return answer, nil
}

func (s *service) RecordUsage(_ context.Context, request *pb.RecordUsageRequest, _ ...grpc.CallOption) (*pb.RecordUsageResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before, after := s.fails()
	if before {
		return nil, errAway
	}
	answer := &pb.RecordUsageResponse{}
	for _, record := range request.Records {
		answer.Results = append(answer.Results, s.take(record))
	}
	if after {
		return nil, errAway
	}
	return answer, nil
}

func (s *service) take(record *pb.UsageRecord) *pb.UsageRecordResult {
	rejected := func(reason pb.RejectionReason) *pb.UsageRecordResult {
		return &pb.UsageRecordResult{Status: pb.UsageRecordStatus_USAGE_RECORD_STATUS_REJECTED, Reason: reason}
	}
	if s.unknown[record.Account] {
		return rejected(pb.RejectionReason_REJECTION_REASON_UNKNOWN_ACCOUNT)
	}
	if known := s.records[record.RecordId]; known != nil {
		if proto.Equal(known, record) {
			return &pb.UsageRecordResult{Status: pb.UsageRecordStatus_USAGE_RECORD_STATUS_DUPLICATE}
		}
		return rejected(pb.RejectionReason_REJECTION_REASON_CONFLICT)
	}
	s.records[record.RecordId] = record
	return &pb.UsageRecordResult{Status: pb.UsageRecordStatus_USAGE_RECORD_STATUS_ACCEPTED}
}

// seconds is the sum of all records, without replaced ones.
func (s *service) seconds() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	replaced := map[string]bool{}
	for _, record := range s.records {
		replaced[record.ReplacesRecordId] = true
	}
	sum := int64(0)
	for id, record := range s.records {
		if !replaced[id] {
			sum += record.EndTime.Seconds - record.StartTime.Seconds
		}
	}
	return sum
}

// api is a fake API server with the versions of its Workloads.
type api struct {
	book    *Book
	records map[types.UID]workload.Record
	ledgers map[types.UID]Kept
	since   time.Time
	fail    bool
	writes  int // Of ledgers.
}

func newAPI(book *Book) *api {
	return &api{book: book, records: map[types.UID]workload.Record{}, ledgers: map[types.UID]Kept{}}
}

func (a *api) Load(context.Context) ([]Kept, time.Time, error) {
	if a.fail {
		return nil, a.since, errAway
	}
	return slices.Collect(maps.Values(a.ledgers)), a.since, nil
}

func (a *api) Keep(_ context.Context, kept Kept) error {
	if a.fail {
		return errAway
	}
	a.writes++
	a.ledgers[kept.UID] = kept
	return nil
}

func (a *api) Drop(_ context.Context, uid types.UID) error {
	if a.fail {
		return errAway
	}
	delete(a.ledgers, uid)
	return nil
}

func (a *api) Find(_ context.Context, kept Kept) (*workload.Record, error) {
	if r, ok := a.records[kept.UID]; ok {
		return &r, nil
	}
	return nil, nil
}

// put changes a Workload like another client; its annotations stay.
func (a *api) put(change func(*workload.Record)) {
	r, ok := a.records["w"]
	if !ok {
		r = workload.Record{UID: "w", Namespace: "chem", Name: "w", Queue: "queue", Created: time.Unix(1, 0)}
	}
	change(&r)
	a.store(r)
}

func (a *api) store(r workload.Record) {
	r.Version++
	a.records[r.UID] = r
	a.book.Put(&r)
}

func (a *api) Lift(ctx context.Context, r *workload.Record, by int32, form Form) error {
	if current, ok := a.records[r.UID]; ok && !a.fail && form.Field {
		current.Field = nil
		if by != 0 {
			current.Field = &by
		}
		a.records[r.UID] = current
	}
	return a.Annotate(ctx, r, lift(r, by, form)["metadata"].(map[string]any)["annotations"].(Annotations))
}

func (a *api) Annotate(_ context.Context, r *workload.Record, annotations Annotations) error {
	if a.fail {
		return errAway
	}
	current, ok := a.records[r.UID]
	if !ok {
		return nil
	}
	if text, ok := annotations[workload.BoostAnnotation]; ok {
		current.Boost = ""
		if text != nil {
			current.Boost = *text
		}
	}
	a.store(current)
	return nil
}

func (a *api) Finalize(_ context.Context, r *workload.Record, on bool) error {
	if current, ok := a.records[r.UID]; ok {
		current.Finalized = on
		a.store(current)
	}
	return nil
}

// newBook is a book whose namespace `chem` has a LocalQueue `queue` of the ClusterQueue `cq`.
func newBook(t *testing.T) *Book {
	t.Helper()
	book := NewBook(PlaceOptions{DefaultUser: "nobody"})
	book.SetClusterQueue("cq", true)
	book.SetLocalQueue(types.NamespacedName{Namespace: "chem", Name: "queue"}, "cq")
	return book
}
