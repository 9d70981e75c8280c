// Package forecast is the start of waiting work as an annotation states it, and when that is out of date.
package forecast

import (
	"encoding/json"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
)

const (
	precision = time.Minute     // Times are rounded to it.
	leastMove = 5 * time.Minute // A quantile moves materially by at least this,
	movePart  = 4               // and by more than this part of the remaining wait.
	mostText  = 256             // The bytes of a text to read.
	lastYear  = 9999            // Of RFC 3339.
)

// Levels are the quantiles of a Forecast, as ForecastStarts takes them.
var Levels = []float64{.1, .5, .9}

// sources are the names of what a forecast is made from.
var sources = map[pb.ForecastSource]string{
	pb.ForecastSource_FORECAST_SOURCE_TABLE:  "table",
	pb.ForecastSource_FORECAST_SOURCE_FOREST: "forest",
}

// Forecast is when work starts: one of ten such starts comes by Q10, half of them by Q50, nine of ten by Q90. Whole
// minutes in UTC, ascending.
type Forecast struct {
	Q10    time.Time `json:"q10"`
	Q50    time.Time `json:"q50"`
	Q90    time.Time `json:"q90"`
	Source string    `json:"source"` // table or forest; see FORECAST_SOURCE_TABLE and FORECAST_SOURCE_FOREST.
}

// Of is the forecast of priorityd; false = there is none, or one that is made from no start.
func Of(answer *pb.StartForecast) (Forecast, bool) {
	times := make([]time.Time, len(Levels))
	for i, level := range Levels {
		at := startAt(answer, level)
		if !at.IsValid() {
			return Forecast{}, false
		}
		times[i] = at.AsTime().Round(precision)
	}
	f := Forecast{times[0], times[1], times[2], sources[answer.GetSource()]}
	return f, f.isPossible()
}

// startAt is the quantile of a level; nil = it is not in the answer.
func startAt(answer *pb.StartForecast, level float64) *timestamppb.Timestamp {
	for _, quantile := range answer.GetStart() {
		if quantile.GetLevel() == level {
			return quantile.GetStartTime()
		}
	}
	return nil
}

func (f Forecast) isPossible() bool {
	for _, source := range sources {
		if f.Source == source {
			return !f.Q50.Before(f.Q10) && !f.Q90.Before(f.Q50) && f.Q90.Year() <= lastYear
		}
	}
	return false
}

// Text is the value of the annotation.
func (f Forecast) Text() string {
	text, _ := json.Marshal(Forecast{f.Q10.UTC(), f.Q50.UTC(), f.Q90.UTC(), f.Source})
	return string(text)
}

// Parse reads the value of an annotation; false = Text did not write it.
func Parse(text string) (Forecast, bool) {
	var f Forecast
	if len(text) > mostText || json.Unmarshal([]byte(text), &f) != nil || !f.isPossible() || f.Text() != text {
		return Forecast{}, false
	}
	return f, true
}

// MovedFrom reports whether a quantile differs materially from that of an earlier forecast: by at least five minutes, and
// by more than a quarter of the remaining wait until it. Times before now count as now, because no wait remains.
func (f Forecast) MovedFrom(earlier Forecast, now time.Time) bool {
	return moved(earlier.Q10, f.Q10, now) || moved(earlier.Q50, f.Q50, now) || moved(earlier.Q90, f.Q90, now)
}

func moved(from, to, now time.Time) bool {
	from, to = notBefore(now, from), notBefore(now, to)
	by := to.Sub(from).Abs()
	return by >= leastMove && by > to.Sub(now)/movePart
}

func notBefore(now, t time.Time) time.Time {
	if t.Before(now) {
		return now
	}
	return t
}
