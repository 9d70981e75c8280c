package controller

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// priorityd serves before it has read its events again. However long it was away, the ten minutes begin then.
func TestTheTenMinutesBeginAfterAnOutage(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	minutes := map[string][3]float64{"a": {10, 60, 240}}
	s.priorityd.minutes = minutes
	s.passAfter(0)
	for range 2 {
		s.priorityd.err = errAway
		for range 60 {
			s.passAfter(1)
		}
		s.priorityd.err, s.priorityd.minutes = nil, nil
		for minute := range 10 {
			if got := s.passAfter(1); len(got) > 0 {
				t.Fatalf("got %v written %d minutes after the outage, want nothing", got, minute)
			}
		}
	}
	if got := s.passAfter(1); !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %v written ten minutes after the outage, want a", got)
	}
}

func TestTheTenMinutesBeginAgainAfterAForecast(t *testing.T) {
	s := newForecastSite(t)
	s.pod("a", 1)
	s.priorityd.minutes = map[string][3]float64{"a": {600, 700, 800}}
	s.passAfter(0)
	s.priorityd.minutes = nil
	s.passAfter(1)
	s.priorityd.minutes = map[string][3]float64{"a": {595, 695, 795}}
	s.passAfter(5)
	s.priorityd.minutes = nil
	s.passAfter(1)
	if got := s.passAfter(9); len(got) > 0 {
		t.Errorf("got %v written, want nothing", got)
	}
}

func TestAForecastThatEndsAmongOthersIsRemovedByTheThirdPassWithoutIt(t *testing.T) {
	s := newForecastSite(t)
	s.pod("held", 1)
	s.pod("waits", 1)
	waits := map[string][3]float64{"waits": {600, 700, 800}}
	both := map[string][3]float64{"held": {600, 700, 800}, "waits": {600, 700, 800}}
	for i, pass := range []struct {
		minutes map[string][3]float64
		err     error
		want    []string
	}{
		{both, nil, []string{"held", "waits"}},
		{waits, nil, nil}, {waits, nil, nil}, {both, nil, nil}, // It was held for two passes.
		{waits, nil, nil}, {waits, nil, nil}, {nil, errAway, nil}, // priorityd starts again,
		{waits, nil, nil}, {waits, nil, nil}, {nil, nil, nil}, // and again within a minute.
		{waits, nil, nil}, {waits, nil, nil}, {waits, nil, []string{"held"}},
		{waits, nil, nil}, {both, nil, []string{"held"}},
	} {
		s.priorityd.minutes, s.priorityd.err = pass.minutes, pass.err
		if got := s.passAfter(1); !slices.Equal(got, pass.want) {
			t.Errorf("pass %d: got %v written, want %v", i, got, pass.want)
		}
	}
}

func TestPrioritydForecastsAtMostATwentiethOfTheTime(t *testing.T) {
	for _, c := range []struct {
		code        codes.Code
		took, pause time.Duration
	}{
		{codes.OK, time.Second, time.Minute},
		{codes.OK, 6 * time.Second, 2 * time.Minute},
		{codes.OK, time.Minute, 20 * time.Minute},
		{codes.Unavailable, time.Minute, time.Minute}, // It forecast nothing.
		{codes.DeadlineExceeded, time.Second, time.Minute},
		{codes.DeadlineExceeded, 6 * time.Second, 2 * time.Minute},
		{codes.DeadlineExceeded, time.Minute, 5 * time.Minute},
		{codes.ResourceExhausted, 6 * time.Second, 2 * time.Minute},
	} {
		s := newForecastSite(t)
		s.pod("a", 1)
		s.priorityd.took, s.priorityd.err = func() { s.plainSite.now = s.plainSite.now.Add(c.took) }, status.Error(c.code, "")
		if got := s.pass(t.Context()); got != c.pause {
			t.Errorf("%v after %v: got a pause of %v, want %v", c.code, c.took, got, c.pause)
		}
	}
}

func TestTheTimeOfWritingIsPartOfThePause(t *testing.T) {
	for writing, want := range map[time.Duration]time.Duration{40 * time.Second: 20 * time.Second, 90 * time.Second: 0} {
		s := newForecastSite(t)
		s.pod("a", 1)
		s.priorityd.minutes["a"] = [3]float64{10, 60, 240}
		s.refuse = func(string) error {
			s.plainSite.now = s.plainSite.now.Add(writing)
			return nil
		}
		if got := s.pass(t.Context()); got != want {
			t.Errorf("after %v of writing: got a pause of %v, want %v", writing, got, want)
		}
	}
}

// writeAMinute limits a pass to so many writes; the writes themselves need not wait.
func (s *forecastSite) writeAMinute(count float64) {
	s.Limit = rate.NewLimiter(rate.Limit(count/60), 1000)
}

func TestRemovalsComeFirstThenWorkWithoutOneThenWhatIsUnwrittenForLongest(t *testing.T) {
	s := newForecastSite(t)
	for _, name := range []string{"a", "b", "c"} {
		s.annotate(name, forecastText(t, s.plainSite.now, 1))
	}
	s.writeAMinute(2)
	hours := 1.
	for i, want := range [][]string{{"a", "b"}, {"c", "a"}, {"b", "a"}, {"gone", "new"}, {"c", "a"}} {
		if i == 3 {
			s.pod("new", 1)
			s.annotate("gone", "at once")
		}
		s.priorityd.minutes = map[string][3]float64{}
		for k, name := range []string{"a", "b", "c", "new"} {
			at := 60*hours + 10*float64(k)
			s.priorityd.minutes[name] = [3]float64{at, at, at}
		}
		hours *= 10 // All of them move.
		if got := s.passAfter(1); !slices.Equal(got, want) {
			t.Errorf("pass %d: got %v written, want %v", i, got, want)
		}
	}
}

func TestWorkWhoseWriteFailsComesAfterAllOther(t *testing.T) {
	s := newForecastSite(t)
	s.annotate("gone", "at once")
	s.pod("a", 1)
	s.priorityd.minutes["a"] = [3]float64{600, 700, 800}
	s.writeAMinute(1)
	var tried []string
	s.refuse = func(name string) error {
		tried = append(tried, name)
		if name == "gone" {
			return apierrors.NewInternalError(errAway)
		}
		return nil
	}
	for range 3 {
		s.passAfter(1)
	}
	if want := []string{"gone", "a", "gone"}; !slices.Equal(tried, want) {
		t.Errorf("got %v tried, want %v", tried, want)
	}
}

func TestFiveFailuresInARowEndAPass(t *testing.T) {
	lost := apierrors.NewInternalError(errAway)
	for name, c := range map[string]struct {
		fails func(int) error
		want  int
	}{
		"a lost server":      {func(int) error { return lost }, 5},
		"rejected writes":    {func(int) error { return apierrors.NewForbidden(schema.GroupResource{}, "", nil) }, 9},
		"one write succeeds": {func(i int) error { return map[bool]error{false: lost}[i == 4] }, 9},
	} {
		s := newForecastSite(t)
		for i := range 9 {
			s.pod(fmt.Sprint(i), 1)
			s.priorityd.minutes[fmt.Sprint(i)] = [3]float64{10, 60, 240}
		}
		tried := 0
		s.refuse = func(string) error {
			tried++
			return c.fails(tried - 1)
		}
		if s.passAfter(0); tried != c.want {
			t.Errorf("%s: got %d writes tried, want %d", name, tried, c.want)
		}
	}
}
