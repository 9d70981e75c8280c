package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/openapi"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/boost"
	"priorityd/kubernetes/internal/workload"
)

// descriptionWith is an OpenAPI description of Kueue's API, whose Workloads have this part of a spec.
func descriptionWith(spec string) string {
	return fmt.Sprintf(`{"components":{"schemas":{
		"io.k8s.kueue.v1beta2.LocalQueue":{"properties":{"spec":{"properties":{"priorityBoost":{"properties":{"value":{}}}}}},
			"x-kubernetes-group-version-kind":[{"group":"kueue.x-k8s.io","kind":"LocalQueue","version":"v1beta2"}]},
		"io.k8s.kueue.v1beta2.Workload":{"properties":{"spec":{"type":"object","properties":{"priority":{"type":"integer"}%s}}},
			"x-kubernetes-group-version-kind":[{"group":"kueue.x-k8s.io","kind":"Workload","version":"v1beta2"}]}}}}`, spec)
}

const (
	valueOnly = `,"priorityBoost":{"properties":{"value":{"type":"integer"}}}`
	withScope = `,"priorityBoost":{"properties":{"value":{"type":"integer"},"whenCanBoostOnPreemption":{"type":"string"}}}`
)

func TestTheFieldIsWrittenIfTheSchemaHasIt(t *testing.T) {
	for spec, want := range map[string]Form{
		"": {}, valueOnly: {Field: true}, withScope: {Field: true, Scoped: true},
		`,"priorityBoost":{"type":"integer"}`: {},
	} {
		if got, err := formOf([]byte(descriptionWith(spec))); err != nil || got != want {
			t.Errorf("%s: got %+v %v, want %+v", spec, got, err, want)
		}
	}
	for _, text := range []string{"", "[]", `{"components":{"schemas":{}}}`} {
		if _, err := formOf([]byte(text)); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

// group is a described version of an API, which counts the reads.
type group struct {
	url, text string
	reads     *int
}

func (g group) ServerRelativeURL() string { return g.url }
func (g group) Schema(string) ([]byte, error) {
	*g.reads++
	return []byte(g.text), nil
}

func TestAnUpgradeOfKueuesDefinitionsIsNoticedAndLogged(t *testing.T) {
	reads, at, spec, fails := 0, "/openapi/v3/a", "", true
	var logged []string
	boosts := &Boosts{Log: logr.New(sink{&logged}), Paths: func() (map[string]openapi.GroupVersion, error) {
		if fails {
			return nil, errors.New("away")
		}
		return map[string]openapi.GroupVersion{"apis/kueue.x-k8s.io/v1beta2": group{at, descriptionWith(spec), &reads}}, nil
	}}
	look := func(wantReads int, want Form, wantKnown bool) {
		t.Helper()
		err := boosts.look()
		if got, known := boosts.Form(); got != want || known != wantKnown || reads != wantReads || (err != nil) != fails {
			t.Errorf("got %+v %v after %d reads: %v, want %+v %v after %d", got, known, reads, err, want, wantKnown, wantReads)
		}
	}
	look(0, Form{}, false)
	fails = false
	look(1, Form{}, true)
	look(1, Form{}, true)
	at, spec = "/openapi/v3/b", withScope
	look(2, Form{Field: true, Scoped: true}, true)
	if text := strings.Join(logged, "\n"); len(logged) != 2 || strings.Contains(logged[0], "field") || !strings.Contains(logged[1], "field spec.priorityBoost") {
		t.Errorf("got the log %s, want the annotation, then also the field", text)
	}
}

// sink is a log in memory.
type sink struct{ lines *[]string }

func (s sink) Init(logr.RuntimeInfo)             {}
func (s sink) Enabled(int) bool                  { return true }
func (s sink) WithValues(...any) logr.LogSink    { return s }
func (s sink) WithName(string) logr.LogSink      { return s }
func (s sink) Error(error, string, ...any)       {}
func (s sink) Info(_ int, text string, p ...any) { *s.lines = append(*s.lines, fmt.Sprint(text, p)) }

// The patch has the boost and nothing else: the Workload's priority and its WorkloadPriorityClass stay.
func TestABoostIsAllThatAPatchChanges(t *testing.T) {
	r := &workload.Record{UID: "u", Priority: 1000, Class: "high"}
	for want, patch := range map[string]map[string]any{
		`{"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":"7"},"uid":"u"}}`:                                                                                               lift(r, 7, Form{}),
		`{"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":null},"uid":"u"}}`:                                                                                              lift(r, 0, Form{}),
		`{"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":"-7"},"uid":"u"},"spec":{"priorityBoost":{"value":-7}}}`:                                                        lift(r, -7, Form{Field: true}),
		`{"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":"7"},"uid":"u"},"spec":{"priorityBoost":{"value":7,"whenCanBoostOnPreemption":"PreempteeWithinClusterQueue"}}}`: lift(r, 7, Form{Field: true, Scoped: true}),
		`{"metadata":{"annotations":{"kueue.x-k8s.io/priority-boost":null},"uid":"u"},"spec":{"priorityBoost":null}}`:                                                                lift(r, 0, Form{Field: true, Scoped: true}),
	} {
		if got, err := json.Marshal(patch); err != nil || string(got) != want {
			t.Errorf("got %s %v, want %s", got, err, want)
		}
	}
}

// A queue that was ordered by annotations gets the same numbers in the field, each by one patch, and then none.
func TestAnUpgradeKeepsTheNumbers(t *testing.T) {
	book := newBook(t)
	fake := newAPI(book)
	ranking := NewRanking(nil, book, fake, 500)
	q := ranking.add("cq")
	var ranked []*pb.RankedJob
	for _, name := range []string{"a", "b", "c"} {
		fake.store(workload.Record{UID: types.UID(name), Namespace: "chem", Name: name, Queue: "queue"})
		ranked = append(ranked, &pb.RankedJob{JobId: name})
	}
	fake.store(workload.Record{UID: "runs", Namespace: "chem", Name: "runs", Queue: "queue", Reserved: time.Unix(1, 0)})
	q.top = top{ranked: ranked, known: true}
	numbers := func() (annotated, field []int32) {
		for _, name := range []string{"runs", "a", "b", "c"} {
			r := fake.records[types.UID(name)]
			by, _ := boostOf(&r)
			annotated, field = append(annotated, by), append(field, fieldOf(&r))
		}
		return annotated, field
	}
	q.write(t.Context())
	before, field := numbers()
	if !slices.IsSortedFunc(before, func(a, b int32) int { return int(b) - int(a) }) || before[0] != boost.Running || !slices.Equal(field, []int32{0, 0, 0, 0}) {
		t.Fatalf("got %v and %v in the field, want the order in annotations only", before, field)
	}
	ranking.Boosts = &Boosts{known: true, form: Form{Field: true}}
	if changes := q.changes(ranked, ranking.Boosts.form); len(changes) != 4 {
		t.Errorf("got %d writes, want one of each Workload", len(changes))
	}
	q.write(t.Context())
	if after, field := numbers(); !slices.Equal(after, before) || !slices.Equal(field, before) {
		t.Errorf("got %v and %v in the field, want %v in both", after, field, before)
	}
	if changes := q.changes(ranked, ranking.Boosts.form); len(changes) != 0 {
		t.Errorf("got %v, want no more writes", changes)
	}
}

// strict is an API server that rejects each write of one Workload.
type strict struct {
	*api
	name string
}

func (s strict) Lift(ctx context.Context, r *workload.Record, by int32, form Form) error {
	if r.Name == s.name {
		return apierrors.NewInvalid(schema.GroupKind{Kind: "Workload"}, r.Name, nil)
	}
	return s.api.Lift(ctx, r, by, form)
}

func TestAWorkloadThatTheAPIServerRejectsDelaysNoOtherBoost(t *testing.T) {
	book := newBook(t)
	fake := newAPI(book)
	q := NewRanking(nil, book, strict{fake, "a"}, 500).add("cq")
	var ranked []*pb.RankedJob
	for _, name := range []string{"a", "b", "c"} {
		fake.store(workload.Record{UID: types.UID(name), Namespace: "chem", Name: name, Queue: "queue"})
		ranked = append(ranked, &pb.RankedJob{JobId: name})
	}
	q.top = top{ranked: ranked, known: true}
	q.write(t.Context())
	second, third := fake.records["b"], fake.records["c"]
	if b, c := effective(&second), effective(&third); b <= c || c == 0 {
		t.Errorf("got %d and %d, want boosts in the order", b, c)
	}
}

func TestNothingIsWrittenBeforeTheSchemaIsKnown(t *testing.T) {
	book := newBook(t)
	fake := newAPI(book)
	ranking := NewRanking(nil, book, fake, 500)
	ranking.Boosts = &Boosts{}
	fake.store(workload.Record{UID: "a", Namespace: "chem", Name: "a", Queue: "queue"})
	q := ranking.add("cq")
	q.top = top{ranked: []*pb.RankedJob{{JobId: "a"}}, known: true}
	q.write(t.Context())
	if r := fake.records["a"]; r.Boost != "" {
		t.Errorf("got the boost %s, want none", r.Boost)
	}
}
