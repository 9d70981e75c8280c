package controller

import (
	"fmt"
	"net"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/forecast"
	"priorityd/kubernetes/internal/workload"
)

func TestForecastsOfAllPendingWorkAreAskedForAtOnceAndStated(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.job("j", 2, 1)
	s.pod("unknown", 1)
	running := gated("running", 1)
	running.Spec.SchedulingGates = nil
	s.create(running)
	s.priorityd.minutes = map[string][3]float64{"a": {0, 7, 40}, "j": {10, 60, 240}}
	s.passAfter(0)
	if requests := s.priorityd.requests; len(requests) != 1 || !slices.Equal(requests[0].JobIds, []string{"a", "j", "unknown"}) ||
		!slices.Equal(requests[0].Levels, []float64{.1, .5, .9}) {
		t.Errorf("got %v, want one request for a, j and unknown", requests)
	}
	// The time of the site is 1970-01-01T01:23:20Z.
	for name, want := range map[string]string{
		"a": `{"q10":"1970-01-01T01:23:00Z","q50":"1970-01-01T01:30:00Z","q90":"1970-01-01T02:03:00Z","source":"forest"}`,
		"j": `{"q10":"1970-01-01T01:33:00Z","q50":"1970-01-01T02:23:00Z","q90":"1970-01-01T05:23:00Z","source":"forest"}`,
	} {
		if got, _ := s.stated(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"unknown", "running"} {
		if got, ok := s.stated(name); ok {
			t.Errorf("%s: got %s, want none", name, got)
		}
	}
}

func TestOnlyAMaterialMoveIsWritten(t *testing.T) {
	s := newForecastSite(t)
	s.pod("near", 1)
	s.pod("far", 1)
	for i, pass := range []struct {
		after     int // Minutes since the pass before.
		near, far [3]float64
		want      []string
	}{
		{0, [3]float64{2, 10, 30}, [3]float64{60, 600, 1200}, []string{"near", "far"}},
		{1, [3]float64{1, 9, 29}, [3]float64{59, 599, 1199}, nil},               // Time passes.
		{1, [3]float64{1, 9, 29}, [3]float64{70, 700, 1300}, nil},               // By less than a quarter.
		{1, [3]float64{0, 14, 28}, [3]float64{57, 597, 1197}, []string{"near"}}, // By 7 of 14 minutes.
		{30, [3]float64{0, 1, 3}, [3]float64{27, 567, 1167}, nil},               // It is due.
		{1, [3]float64{0, 1, 3}, [3]float64{26, 800, 1166}, []string{"far"}},
	} {
		s.priorityd.minutes = map[string][3]float64{"near": pass.near, "far": pass.far}
		if got := s.passAfter(pass.after); !slices.Equal(got, pass.want) {
			t.Errorf("pass %d: got %v written, want %v", i, got, pass.want)
		}
	}
}

// Another controller knows only what is annotated.
func TestARestartWritesNothingAgain(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
	s.passAfter(0)
	s.restart()
	s.Forecasts = NewForecasts(s.priorityd, s.plainSite.Book, s, 1e6)
	if got := s.passAfter(1); len(got) > 0 {
		t.Errorf("got %v written, want nothing", got)
	}
}

func TestManyAreAskedForInSeveralCalls(t *testing.T) {
	book, priorityd := newBook(t), &forecaster{}
	const most, count = 10_000, 20_001
	for i := range count {
		put(book, fmt.Sprint(i), nil)
	}
	NewForecasts(priorityd, book, nil, 1).pass(t.Context())
	all := map[string]bool{}
	for _, request := range priorityd.requests {
		if len(request.JobIds) > most {
			t.Errorf("got %d ids in a call, want at most %d", len(request.JobIds), most)
		}
		for _, id := range request.JobIds {
			all[id] = true
		}
	}
	if len(priorityd.requests) != 3 || len(all) != count {
		t.Errorf("got %d calls for %d, want 3 for %d", len(priorityd.requests), len(all), count)
	}
}

// A request without ids asks for all jobs of the cluster.
func TestWithoutPendingWorkNothingIsAskedFor(t *testing.T) {
	s := newForecastSite(t)
	s.passAfter(0)
	if len(s.priorityd.requests) > 0 {
		t.Errorf("got %v, want no request", s.priorityd.requests)
	}
}

// priorityd may have just started, an administrator may have mistaken a role: what was stated stays for ten minutes.
func TestWithoutForecastsTheAnnotationIsRemovedAfterTenMinutes(t *testing.T) {
	for name, lose := range map[string]func(*forecaster){
		"an older priorityd":       func(f *forecaster) { f.err = status.Error(codes.Unimplemented, "") },
		"a caller without a right": func(f *forecaster) { f.err = status.Error(codes.PermissionDenied, "") },
		"a priorityd without forecasts": func(f *forecaster) {
			f.err = &client.Error{Code: codes.FailedPrecondition, Reason: "NO_FORECASTS"}
		},
		"a manual clock": func(f *forecaster) { f.minutes = nil },
		"no start yet":   func(f *forecaster) { f.source = pb.ForecastSource_FORECAST_SOURCE_NOTHING },
	} {
		s := newForecastSite(t)
		s.pod("a", 1)
		s.pod("b", 1)
		s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
		s.passAfter(0)
		lose(s.priorityd)
		s.annotate("forged", "at once")
		if got := s.passAfter(1); !slices.Equal(got, []string{"forged"}) {
			t.Errorf("%s: got %v written, want only what another writer stated", name, got)
		}
		if got := s.passAfter(9); len(got) > 0 {
			t.Errorf("%s: got %v written after 9 minutes, want nothing", name, got)
		}
		if got := s.passAfter(1); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: got %v written after 10 minutes, want a", name, got)
		}
		if text, ok := s.stated("a"); ok {
			t.Errorf("%s: got %s, want none", name, text)
		}
		if got := s.passAfter(1); len(got) > 0 {
			t.Errorf("%s: got %v written after the removal, want nothing", name, got)
		}
	}
}

func TestWhilePrioritydIsAwayWhatIsStatedStays(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
	s.passAfter(0)
	s.priorityd.err = &client.Error{Code: codes.FailedPrecondition, Message: "no token"}
	if got := s.passAfter(60); len(got) > 0 {
		t.Errorf("got %v written without a proof, want nothing", got)
	}
	s.priorityd.err = status.Error(codes.Unavailable, "")
	if got := s.passAfter(60); len(got) > 0 {
		t.Errorf("got %v written while priorityd is away, want nothing", got)
	}
}

func TestWhatAnotherWriterStatedIsReplaced(t *testing.T) {
	s := newForecastSite(t)
	s.annotate("lies", `{"q10":"at once"}`)
	s.annotate("early", `{"q10":"1970-01-01T01:23:00Z","q50":"1970-01-01T01:23:00Z","q90":"1970-01-01T01:23:00Z","source":"forest"}`)
	s.annotate("nothing", "<script>")
	s.priorityd.minutes = map[string][3]float64{"lies": {10, 60, 240}, "early": {10, 60, 240}}
	s.passAfter(0)
	for _, name := range []string{"lies", "early"} {
		text, _ := s.stated(name)
		if got, ok := forecast.Parse(text); !ok || got.Q50.Unix() != 5000-20+3600 {
			t.Errorf("%s: got %s, want a median in an hour", name, text)
		}
	}
	if text, ok := s.stated("nothing"); ok {
		t.Errorf("nothing: got %s, want none", text)
	}
	for _, p := range s.pods() {
		if p.Annotations[workload.PlaceAnnotation] != "place 1" {
			t.Errorf("%s: got %v, want its place unchanged", p.Name, p.Annotations)
		}
	}
}

func TestSwitchedOffItAsksForNothingAndRemovesWhatIsStated(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
	s.passAfter(0)
	s.Off, s.priorityd.requests = true, nil
	s.passAfter(1)
	if text, ok := s.stated("a"); ok || len(s.priorityd.requests) > 0 {
		t.Errorf("got %q, %v, want no annotation and no request", text, s.priorityd.requests)
	}
}

func TestAFailedWriteBlocksNoOther(t *testing.T) {
	resource := schema.GroupResource{Resource: "pods"}
	for _, err := range []error{
		apierrors.NewForbidden(resource, "a", nil),
		apierrors.NewInvalid(schema.GroupKind{}, "a", nil),
		apierrors.NewInternalError(errAway),
	} {
		s := newForecastSite(t)
		s.pod("a", 1)
		s.pod("b", 1)
		s.priorityd.minutes = map[string][3]float64{"a": {1, 2, 3}, "b": {10, 60, 240}}
		s.refuse = func(name string) error {
			if name == "a" {
				return err
			}
			return nil
		}
		if got := s.passAfter(0); !slices.Equal(got, []string{"b"}) {
			t.Errorf("%v: got %v written, want b", err, got)
		}
	}
}

func TestWritesOfAPassAreBounded(t *testing.T) {
	s := newForecastSite(t)
	s.annotate("moved", forecastText(t, s.plainSite.now, 1))
	for i := range 9 {
		s.pod(fmt.Sprint(i), 1)
		s.priorityd.minutes[fmt.Sprint(i)] = [3]float64{1, float64(100 - i), 200}
	}
	s.priorityd.minutes["moved"] = [3]float64{60, 70, 80}
	s.Limit.SetLimit(3. / 60) // Three in a minute.
	s.Limit.SetBurst(3)
	if got := s.changesNow(); !slices.Equal(got, []string{"8", "7", "6"}) {
		t.Errorf("got %v, want the first starts without a forecast", got)
	}
}

// changesNow are the names of the work to annotate next.
func (s *forecastSite) changesNow() []string {
	pending := s.pending()
	found, at, err := s.ask(s.t.Context(), pending)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, change := range s.changes(pending, found, at) {
		names = append(names, change.record.Name)
	}
	return names
}

func TestWhatStartedMeanwhileIsNotWritten(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
	pending := s.pending()
	found, at, _ := s.ask(t.Context(), pending)
	changes := s.changes(pending, found, at)
	if len(changes) != 1 {
		t.Fatalf("got %v, want one change", changes)
	}
	if err := s.Releaser.Release(t.Context(), pending[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), changes[0]); err != nil || len(s.patched) > 0 {
		t.Errorf("got %v, %v written, want nothing", err, s.patched)
	}
}

// Of a server that is built without ForecastStarts, over gRPC.
func TestAnOlderPrioritydGivesNoForecasts(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterPriorityServiceServer(server, pb.UnimplementedPriorityServiceServer{})
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	older, err := client.New(client.Options{Address: listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer older.Close()
	s := newForecastSite(t)
	s.pod("a", 1)
	s.Service = older
	found, _, err := s.ask(t.Context(), s.pending())
	if err != nil || len(found) > 0 || s.denied == "" {
		t.Errorf("got %v, %v, want none and no error", found, err)
	}
}
