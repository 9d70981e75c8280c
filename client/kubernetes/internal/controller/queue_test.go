package controller

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/boost"
	"priorityd/kubernetes/internal/workload"
)

func put(book *Book, uid string, change func(*workload.Record)) {
	r := &workload.Record{UID: types.UID(uid), Namespace: "chem", Name: uid, Queue: "queue", Version: 1}
	if change != nil {
		change(r)
	}
	book.Put(r)
}

// upserted are the job ids of an update.
func upserted(request *pb.UpdateJobsRequest) []string {
	var ids []string
	for _, job := range request.Upserts {
		ids = append(ids, job.JobId)
	}
	slices.Sort(ids)
	return ids
}

func TestAllAreSentAtFirstAndThenChanges(t *testing.T) {
	book, s := newBook(t), newService()
	queue := NewQueue(s, book, "k")
	queue.lead()
	put(book, "a", nil)
	put(book, "b", nil)
	put(book, "over", func(r *workload.Record) { r.Finished = time.Unix(1, 0) })
	put(book, "nowhere", func(r *workload.Record) { r.Queue = "none" })
	s.away = 2
	for range 3 {
		queue.turn(t.Context())
	}
	if len(s.updates) != 1 || !s.updates[0].FullSync || !reflect.DeepEqual(upserted(s.updates[0]), []string{"a", "b"}) {
		t.Fatalf("got %v, want all that are not over and have a queue", s.updates)
	}
	queue.turn(t.Context())
	put(book, "b", func(r *workload.Record) { r.Version, r.Held = 2, true })
	book.Delete(&workload.Record{UID: "a", Version: 9})
	s.away = 1
	queue.turn(t.Context())
	queue.turn(t.Context())
	last := s.updates[len(s.updates)-1]
	if last.FullSync || !reflect.DeepEqual(upserted(last), []string{"b"}) || !slices.Contains(last.Removals, "a") {
		t.Errorf("got %v, want b changed and a removed", last)
	}
}

func TestAllAreSentAgainAfterAnHour(t *testing.T) {
	book, s := newBook(t), newService()
	queue := NewQueue(s, book, "k")
	queue.lead()
	put(book, "a", nil)
	queue.turn(t.Context())
	queue.synced = queue.synced.Add(-syncEvery)
	queue.turn(t.Context())
	if len(s.updates) != 2 || !s.updates[1].FullSync {
		t.Errorf("got %v, want two of all", s.updates)
	}
}

func TestWhatARestoredPrioritydLacksIsCreatedAgainByTheFullSync(t *testing.T) {
	book, s, admin := newBook(t), newService(), &administrator{refuses: "odd"}
	queue := NewQueue(s, book, "k")
	queue.Provision = &Provision{Admin: admin, Parent: "root"}
	queue.lead()
	put(book, "a", nil)
	queue.turn(t.Context())
	admin.users, admin.parts = nil, nil // It was restored from an older backup.
	put(book, "b", nil)
	queue.turn(t.Context())
	if len(admin.users) != 0 {
		t.Fatalf("got %q, want each created once", admin.users)
	}
	queue.synced = queue.synced.Add(-syncEvery)
	queue.turn(t.Context())
	if !slices.Equal(admin.users, []string{"", "nobody"}) || !slices.Equal(admin.parts, []string{"cq"}) {
		t.Errorf("got %q and %q, want the account, its user and the partition", admin.users, admin.parts)
	}
}

func TestARefusedJobIsSentAgain(t *testing.T) {
	book, s := newBook(t), newService()
	queue := NewQueue(s, book, "k")
	queue.lead()
	s.refuse["a"] = true
	put(book, "a", nil)
	queue.turn(t.Context())
	queue.turn(t.Context())
	count := len(s.updates)
	if last := s.updates[count-1]; !slices.Equal(last.Removals, []string{"a"}) || last.FullSync {
		t.Errorf("got %v, want its earlier state removed", last)
	}
	queue.looked = time.Time{}
	queue.turn(t.Context())
	if len(s.updates) != count+2 || !slices.Equal(upserted(s.updates[count]), []string{"a"}) {
		t.Errorf("got %d updates after %d, want it sent again, and removed again", len(s.updates), count)
	}
}

// isSent reports whether priorityd knows a job.
func (s *service) isSent(id string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, known := s.states[id]
	return known
}

// Names of resources are any text of the user who creates a Workload, up to 317 bytes, and a Workload may name thousands.
func TestWorkWithManyNamesOfResourcesDelaysNobodyElse(t *testing.T) {
	names := workload.TRES{}
	for i := range 1000 {
		names[fmt.Sprintf("gres/%0312d", i)] = 1
	}
	large := func(r *workload.Record) { r.TRES = names }
	for _, when := range []string{"before the first full sync", "later"} {
		book, s := newBook(t), newService()
		queue := NewQueue(s, book, "k")
		queue.lead()
		if when == "later" {
			queue.turn(t.Context())
		}
		for i := range 5000 {
			put(book, fmt.Sprint("large", i), large)
		}
		put(book, "amy", nil)
		for range 2 {
			queue.turn(t.Context())
		}
		if !s.isSent("amy") || len(s.states) != 1 {
			t.Errorf("%s: got %d jobs, want amy's only", when, len(s.states))
		}
		count := len(s.updates)
		for range 2 {
			queue.looked = time.Time{}
			queue.turn(t.Context())
		}
		if len(s.updates) != count {
			t.Errorf("%s: got %d requests more, want no job that is invalid again every minute", when, len(s.updates)-count)
		}
	}
}

// A sixteenth of --memory_budget is the most of a message.
func TestAPrioritydThatTakesSmallMessagesGetsAllWork(t *testing.T) {
	book, s := newBook(t), newService()
	s.takes = 1 << 20
	queue := NewQueue(s, book, "k")
	queue.lead()
	for i := range 20_000 {
		put(book, fmt.Sprint(i), func(r *workload.Record) { r.Name = strings.Repeat("n", 253) })
	}
	for range 10 {
		queue.turn(t.Context())
	}
	if len(s.updates) == 0 || !s.updates[0].FullSync || len(s.states) != 20_000 {
		t.Errorf("got %d jobs, want 20000, with a full sync", len(s.states))
	}
}

func TestANamespaceWithMoreWorkThanPrioritydTakesInACallDelaysNoOther(t *testing.T) {
	book, s := newBook(t), newService()
	book.SetLocalQueue(types.NamespacedName{Namespace: "crowd", Name: "queue"}, "cq")
	queue := NewQueue(s, book, "k")
	for i := range 200_100 {
		put(book, fmt.Sprint("crowd", i), func(r *workload.Record) { r.Namespace = "crowd" })
	}
	put(book, "runs", func(r *workload.Record) {
		r.Namespace, r.Created, r.Reserved = "crowd", time.Unix(9, 0), time.Unix(9, 0)
	})
	put(book, "last", func(r *workload.Record) { r.Created = time.Unix(9, 0) })
	queue.lead()
	queue.turn(t.Context())
	if len(s.updates) != 1 || !s.updates[0].FullSync || !s.isSent("last") || !s.isSent("runs") {
		t.Fatalf("got %d requests, want one with what runs and the first of each namespace", len(s.updates))
	}
	queue.turn(t.Context())
	if len(s.states) != 200_102 {
		t.Errorf("got %d jobs, want the rest in the next turn", len(s.states))
	}
	pending := NewForecasts(s, book, nil, 1).pending()
	if len(pending) != 200_000 || !slices.ContainsFunc(pending, func(r *workload.Record) bool { return r.UID == "last" }) {
		t.Errorf("got forecasts of %d requested, want 200000 with the first of each namespace", len(pending))
	}
}

func TestWhoseQueueIsNoMoreIsTakenAway(t *testing.T) {
	book, s := newBook(t), newService()
	queue := NewQueue(s, book, "k")
	queue.lead()
	put(book, "a", nil)
	queue.turn(t.Context())
	book.SetLocalQueue(types.NamespacedName{Namespace: "chem", Name: "queue"}, "")
	queue.turn(t.Context())
	if last := s.updates[len(s.updates)-1]; !slices.Equal(last.Removals, []string{"a"}) || len(last.Upserts) != 0 {
		t.Errorf("got %v, want it removed", last)
	}
	if len(book.localQueues) != 0 {
		t.Errorf("got %v kept, want no deleted LocalQueue in memory", book.localQueues)
	}
}

func TestAnAccountThatMovesIsSent(t *testing.T) {
	book, s := newBook(t), newService()
	queue := NewQueue(s, book, "k")
	queue.lead()
	put(book, "a", nil)
	queue.turn(t.Context())
	accounts, _ := workload.ParseAccounts("chem moved")
	book.SetAccounts(accounts, workload.Users{})
	queue.turn(t.Context())
	job := s.updates[len(s.updates)-1].Upserts[0]
	if job.Account != "moved" || job.User != "nobody" || job.Partitions[0] != "cq" {
		t.Errorf("got %v, want it in the account moved", job)
	}
}

func TestAnOlderVersionOfAWorkloadIsNotTaken(t *testing.T) {
	book := newBook(t)
	put(book, "a", func(r *workload.Record) { r.Version, r.Boost = 5, "7" })
	put(book, "a", func(r *workload.Record) { r.Version = 4 })
	if r, _ := book.Get("a"); r.Boost != "7" {
		t.Errorf("got %+v, want the newer one", r)
	}
}

// effectives are the priorities that Kueue orders by, after the changes.
func effectives(book *Book, changes []change) map[string]int {
	all := map[string]int{}
	for _, r := range book.Records("cq") {
		by, _ := strconv.Atoi(r.Boost)
		all[r.Name] = int(r.Priority) + by
	}
	for _, c := range changes {
		all[c.record.Name] = int(c.record.Priority) + int(c.by)
	}
	return all
}

func TestBoostsGiveTheOrderWhateverTheClasses(t *testing.T) {
	book := newBook(t)
	ranking := NewRanking(nil, book, nil, 500)
	queue := ranking.add("cq")
	put(book, "first", func(r *workload.Record) { r.Priority = -5 })
	put(book, "second", func(r *workload.Record) { r.Priority = 1000 })
	put(book, "below", func(r *workload.Record) { r.Priority = 100_000_000 })
	put(book, "plain", nil)
	put(book, "runs", func(r *workload.Record) { r.Reserved = time.Unix(1, 0); r.Priority = 7 })
	put(book, "foreign", func(r *workload.Record) { r.Boost = "many" })
	put(book, "over", func(r *workload.Record) { r.Finished = time.Unix(1, 0) })
	changes := queue.changes([]*pb.RankedJob{{JobId: "first"}, {JobId: "gone"}, {JobId: "second"}, {JobId: "runs"}}, Form{})
	got := effectives(book, changes)
	if !(got["runs"] == int(boost.Running) && got["runs"] > got["first"] && got["first"] > got["second"] && got["second"] > 0) ||
		got["below"] != 0 || got["foreign"] != 0 {
		t.Errorf("got %v, want runs, first, second, and 0 for the rest", got)
	}
	for _, c := range changes {
		if c.record.Name == "plain" || c.record.Name == "over" {
			t.Errorf("%s is changed", c.record.Name)
		}
	}
}

func TestPlaceIsWrittenInOneLine(t *testing.T) {
	answer := &pb.ExplainPriorityResponse{Sentences: []string{
		"It is number 12 of 340 in the start order: 11 ahead of it.", "Its priority 7 is the sum of its points, 7.", "Two.", "Three."}}
	if got, want := PlaceText(answer, 12, 340, ""), "place 12 of 340; 11 ahead of it; Two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := PlaceText(answer, 12, 340, "it waits for room"), "place 12 of 340; it waits for room; 11 ahead of it; Two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	answer.IneligibleMessage = "it is held"
	if got, want := PlaceText(answer, 0, 340, ""), "cannot start: it is held; 11 ahead of it; Two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlacesAreWrittenFirstToObjectsWithoutOne(t *testing.T) {
	book := newBook(t)
	ranking := NewRanking(nil, book, nil, 500)
	for _, name := range []string{"a", "b", "c", "d"} {
		put(book, name, nil)
	}
	now := time.Unix(1000, 0)
	ranking.add("cq").top = top{ranked: []*pb.RankedJob{{JobId: "a"}, {JobId: "b"}, {JobId: "c"}, {JobId: "d"}}, known: true}
	explain := &Explain{Book: book, Orders: ranking, PerSecond: 2, last: map[types.UID]explanation{
		"a": {at: now, rank: 2}, "b": {at: now.Add(-explainMoved), rank: 3}, "c": {at: now.Add(-explainMoved), rank: 3}}}
	var names []string
	for _, r := range explain.due(now) {
		names = append(names, r.Name)
	}
	// a has just moved, c has not moved.
	if !slices.Equal(names, []string{"d", "b"}) {
		t.Errorf("got %v, want d, which has no explanation, then b, which has moved", names)
	}
}
