package controller

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

func TestEventsStateTheForecastAndComeAgainWhenItMoves(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	recorder := events.NewFakeRecorder(10)
	explain := &Explain{Service: s.priorityd, Book: s.plainSite.Book, Orders: s.Release, Annotator: s, Recorder: recorder, Forecasts: true,
		last: map[types.UID]explanation{}}
	s.priorityd.now = time.Now()
	for i, step := range []struct {
		minutes [3]float64
		want    bool
	}{{[3]float64{10, 60, 240}, true}, {[3]float64{10, 70, 240}, false}, {[3]float64{10, 100, 240}, true}, {[3]float64{10, 100, 240}, false}} {
		s.priorityd.minutes["a"] = step.minutes
		r, _ := explain.Book.Get("a")
		if err := explain.explain(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		select {
		case event := <-recorder.Events:
			if !step.want || !strings.HasSuffix(event, "; It starts by noon with 90 %.") {
				t.Errorf("step %d: got the Event %q, want one: %v", i, event, step.want)
			}
		default:
			if step.want {
				t.Errorf("step %d: got no Event", i)
			}
		}
	}
	r, _ := explain.Book.Get("a")
	if strings.Contains(r.Place, "It starts") {
		t.Errorf("got the place %q, want no forecast in it: it would be written again and again", r.Place)
	}
	explain.Forecasts, explain.last = false, map[types.UID]explanation{}
	if err := explain.explain(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if event := <-recorder.Events; strings.Contains(event, "It starts") {
		t.Errorf("got the Event %q, want no forecast in it", event)
	}
}

// queued is an order of some Workloads.
type queued []*pb.RankedJob

func (queued) Names() []string                          { return []string{"cq"} }
func (o queued) TopOf(string) ([]*pb.RankedJob, uint32) { return o, uint32(len(o)) }
func (queued) Why(types.UID) string                     { return "" }

func TestAWorkloadThatIsNotExplainedDelaysNoOther(t *testing.T) {
	s := newForecastSite(t)
	var order queued
	for i, name := range []string{"a", "b", "c"} {
		s.pod(name, 1)
		order = append(order, &pb.RankedJob{JobId: name, Rank: uint32(i + 1)})
	}
	explain := &Explain{Service: s.priorityd, Book: s.plainSite.Book, Orders: order, Annotator: s, PerSecond: 2, Log: logr.Discard(), last: map[types.UID]explanation{}}
	s.priorityd.unknown = map[string]error{"a": status.Error(codes.NotFound, "job_id: got a, want a job of the queue")}
	s.refuse = func(name string) error {
		if name == "b" {
			return apierrors.NewForbidden(schema.GroupResource{}, name, nil)
		}
		return nil
	}
	explain.turn(t.Context())
	explain.turn(t.Context())
	if want := []string{"a", "b", "c"}; !slices.Equal(s.priorityd.explained, want) || !slices.Equal(s.patched, []string{"c"}) {
		t.Errorf("got %q explained and %q written, want %q and c", s.priorityd.explained, s.patched, want)
	}
	s.priorityd.explained, s.priorityd.unknown["d"] = nil, status.Error(codes.Unavailable, "away")
	explain.Orders = queued{{JobId: "d"}, {JobId: "e"}}
	s.pod("d", 1)
	s.pod("e", 1)
	explain.turn(t.Context())
	explain.turn(t.Context())
	if !slices.Equal(s.priorityd.explained, []string{"d", "d"}) {
		t.Errorf("got %q, want the first one again while priorityd is unreachable", s.priorityd.explained)
	}
}

func TestALongPlaceLeavesRoomForTheForecast(t *testing.T) {
	text := withSentence(strings.Repeat("é", mostPlaceText), "It starts by noon.")
	if len(text) > mostPlaceText || !strings.HasSuffix(text, "é; It starts by noon.") {
		t.Errorf("got %d bytes that end in %q", len(text), text[len(text)-40:])
	}
}

func TestWhatNoLongerWaitsIsForgotten(t *testing.T) {
	book := newBook(t)
	explain := &Explain{Book: book, last: map[types.UID]explanation{}}
	for i := range 10 * fewestKept {
		name := fmt.Sprint(i)
		put(book, name, func(r *workload.Record) {
			if i >= fewestKept/2 {
				r.Reserved = time.Unix(1, 0)
			}
		})
		explain.forget()
		explain.last[types.UID(name)] = explanation{}
		if len(explain.last) > fewestKept {
			t.Fatalf("got %d explanations, want at most twice those of the %d that wait", len(explain.last), fewestKept/2)
		}
	}
	if _, kept := explain.last["0"]; !kept {
		t.Error("the explanation of what waits is forgotten")
	}
}

// An API server refuses an Event with a longer note, and its recorder does not report that.
func TestALongEventIsCutAsTheAPIServerRequires(t *testing.T) {
	recorder := events.NewFakeRecorder(1)
	Event(recorder, &workload.Record{Kind: workload.KindPod}, "Warning", "NotRanked", strings.Repeat("é", 1000))
	if note := strings.TrimPrefix(<-recorder.Events, "Warning NotRanked "); len(note) != 1024 || strings.Trim(note, "é") != "" {
		t.Errorf("got %d bytes, want the first 1024", len(note))
	}
}
