package forecast

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// answer is priorityd's forecast by so many minutes after noon.
func answer(source pb.ForecastSource, q10, q50, q90 float64) *pb.StartForecast {
	f := &pb.StartForecast{JobId: "j", Source: source}
	for i, minutes := range []float64{q10, q50, q90} {
		at := noon.Add(time.Duration(minutes * float64(time.Minute)))
		f.Start = append(f.Start, &pb.StartQuantile{Level: Levels[i], StartTime: timestamppb.New(at)})
	}
	return f
}

// in is a forecast by so many minutes after noon.
func in(q10, q50, q90 float64) Forecast {
	f, ok := Of(answer(pb.ForecastSource_FORECAST_SOURCE_FOREST, q10, q50, q90))
	if !ok {
		panic("no forecast")
	}
	return f
}

func TestTheTextIsShortAndReadBack(t *testing.T) {
	f, ok := Of(answer(pb.ForecastSource_FORECAST_SOURCE_FOREST, 19.6, 70.2, 305))
	want := `{"q10":"2026-11-27T12:20:00Z","q50":"2026-11-27T13:10:00Z","q90":"2026-11-27T17:05:00Z","source":"forest"}`
	if !ok || f.Text() != want {
		t.Errorf("got %q %v, want %q", f.Text(), ok, want)
	}
	if again, ok := Parse(want); !ok || again != f {
		t.Errorf("got %v %v, want %v", again, ok, f)
	}
}

func TestQuantilesAreFoundAmongOthers(t *testing.T) {
	full := answer(pb.ForecastSource_FORECAST_SOURCE_TABLE, 1, 2, 3)
	full.Start = append([]*pb.StartQuantile{{Level: .25, StartTime: timestamppb.New(noon)}}, full.Start...)
	if f, ok := Of(full); !ok || f.Q10 != noon.Add(time.Minute) || f.Source != "table" {
		t.Errorf("got %v %v, want the quantile .1 of the table", f, ok)
	}
}

func TestAnAnswerWithoutAForecastIsNone(t *testing.T) {
	const forest = pb.ForecastSource_FORECAST_SOURCE_FOREST
	withoutMedian := answer(forest, 1, 2, 3)
	withoutMedian.Start = append(withoutMedian.Start[:1], withoutMedian.Start[2])
	withoutTime := answer(forest, 1, 2, 3)
	withoutTime.Start[1].StartTime = nil
	lateYear := answer(forest, 1, 2, 3)
	lateYear.Start[2].StartTime = &timestamppb.Timestamp{Seconds: 253402300799} // The last second of the year 9999.
	for name, none := range map[string]*pb.StartForecast{
		"nil":              nil,
		"no start yet":     answer(pb.ForecastSource_FORECAST_SOURCE_NOTHING, 1, 2, 3),
		"no source":        answer(pb.ForecastSource_FORECAST_SOURCE_UNSPECIFIED, 1, 2, 3),
		"another source":   answer(99, 1, 2, 3),
		"no median":        withoutMedian,
		"no time":          withoutTime,
		"a falling median": answer(forest, 5, 2, 9),
		"year 10000":       lateYear,
	} {
		if f, ok := Of(none); ok {
			t.Errorf("%s: got %v, want none", name, f)
		}
	}
}

func TestWhatAnotherWriterWroteIsNotRead(t *testing.T) {
	ours := in(20, 70, 305).Text()
	for _, text := range []string{
		"", "{}", "null", "soon", " " + ours, ours + " ", ours + ours,
		strings.Replace(ours, `"forest"`, `"<script>"`, 1),
		strings.Replace(ours, `"source"`, `"note":"x","source"`, 1),
		strings.Replace(ours, `{`, `{"q10":"2026-11-27T12:00:00Z",`, 1),
		strings.Replace(ours, "12:20:00Z", "14:20:00+02:00", 1),
		strings.Replace(ours, "12:20:00Z", "23:20:00Z", 1),
		strings.Replace(ours, "q10", "Q10", 1),
		strings.Replace(ours, "2026-11-27T12:20:00Z", "", 1),
		strings.Repeat("[", 100_000),
		strings.Replace(ours, "forest", strings.Repeat("x", 100_000), 1),
	} {
		if f, ok := Parse(text); ok {
			t.Errorf("%.120q: got %v, want nothing", text, f)
		}
	}
}

func TestAForecastMovesByAQuarterOfTheRemainingWaitAndFiveMinutes(t *testing.T) {
	for _, c := range []struct {
		name     string
		now      float64 // Minutes after noon.
		from, to Forecast
		moved    bool
	}{
		{"the same", 0, in(10, 60, 240), in(10, 60, 240), false},
		{"the median later by 20 of 80 minutes", 0, in(10, 60, 240), in(10, 80, 240), false},
		{"the median later by 21 of 81 minutes", 0, in(10, 60, 240), in(10, 81, 240), true},
		{"the median earlier by 12 of 48 minutes", 0, in(10, 60, 240), in(10, 48, 240), false},
		{"the median earlier by 13 of 47 minutes", 0, in(10, 60, 240), in(10, 47, 240), true},
		{"4 of 8 minutes", 0, in(0, 4, 20), in(0, 8, 20), false},
		{"5 of 9 minutes", 0, in(0, 4, 20), in(0, 9, 20), true},
		{"a late end alone", 0, in(10, 60, 240), in(10, 60, 400), true},
		{"an early end alone", 0, in(60, 61, 240), in(20, 61, 240), true},
		{"the same remaining wait after 15 minutes", 15, in(15, 60, 240), in(30, 75, 255), true},
		{"the median after an hour, still in an hour", 60, in(0, 60, 600), in(60, 120, 600), true},
		{"an early end that has passed", 100, in(10, 200, 900), in(100, 210, 900), false},
		{"all has passed, and it is due still", 300, in(10, 60, 240), in(300, 302, 304), false},
		{"all has passed, and it is no longer due", 300, in(10, 60, 240), in(300, 330, 500), true},
	} {
		if got := c.to.MovedFrom(c.from, noon.Add(time.Duration(c.now)*time.Minute)); got != c.moved {
			t.Errorf("%s: got %v, want %v", c.name, got, c.moved)
		}
	}
}

// A wait that does not get shorter changes the annotation again and again, but less often the longer it is.
func TestASteadyWaitIsWrittenOnceAQuarterOfIt(t *testing.T) {
	// In an hour, at one pass a minute: each 6 minutes, each 16, and after 61.
	for _, c := range []struct{ wait, written int }{{20, 10}, {60, 3}, {240, 0}} {
		wait := float64(c.wait)
		is, written := in(wait, wait, wait), 0
		for minute := 1.0; minute <= 60; minute++ {
			if next := in(minute+wait, minute+wait, minute+wait); next.MovedFrom(is, noon.Add(time.Duration(minute)*time.Minute)) {
				is, written = next, written+1
			}
		}
		if written != c.written {
			t.Errorf("a wait of %d minutes: written %d times in an hour, want %d", c.wait, written, c.written)
		}
	}
}
