package controller

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/forecast"
	"priorityd/kubernetes/internal/workload"
)

const (
	forecastAgain  = time.Minute
	forecastShare  = 20               // priorityd forecasts at most a twentieth of the time, while it answers.
	forecastFailed = 5 * time.Minute  // The longest pause after an error.
	forecastKept   = 10 * time.Minute // The time for which annotations stay when priorityd gives no forecast at all.
	forecastWrites = 5                // One of so many writes at most is a forecast.
	forecastFaults = 5                // Failed writes in a row that end a pass.
	forecastMissed = 3                // Passes in a row without one of several forecasts that remove its annotation.
)

// Forecasts states when pending Workloads, Jobs and Pods start, as an annotation. It asks priorityd for all of them at
// once, about once a minute, and writes what has moved materially.
type Forecasts struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Annotator Annotator
	Limit     *rate.Limiter // Of the writes.
	Off       bool          // Only remove the annotations.
	Now       func() time.Time
	Log       logr.Logger

	emptySince time.Time         // Since when priorityd answers without any forecast; zero = its last answer had one, or failed.
	missed     map[types.UID]int // In how many passes in a row others had a forecast, and this work had none.
	tried      map[types.UID]forecastTry
	denied     string // The reason that priorityd gives none; empty = it gives some.
}

// NewForecasts makes Forecasts that use their part of so many writes a second.
func NewForecasts(service pb.PriorityServiceClient, book *Book, annotator Annotator, writesPerSecond float64) *Forecasts {
	return &Forecasts{Service: service, Book: book, Annotator: annotator, Now: time.Now, Log: logr.Discard(),
		Limit: rate.NewLimiter(rate.Limit(writesPerSecond/forecastWrites), 1)}
}

// Start forecasts until the context ends.
func (f *Forecasts) Start(ctx context.Context) error {
	for {
		if !sleep(ctx, f.pass(ctx)) {
			return nil
		}
	}
}

// pass asks for the forecasts of all pending work and writes what has changed; it returns the pause until the next pass.
func (f *Forecasts) pass(ctx context.Context) time.Duration {
	pending, begin := f.pending(), f.Now()
	found, at, err := f.ask(ctx, pending)
	answered := f.Now()
	pause := pauseAfter(answered.Sub(begin), err)
	if err != nil {
		f.emptySince, f.missed = time.Time{}, nil
		if ctx.Err() == nil {
			f.Log.Info("no forecasts; annotations stay unchanged", "error", err.Error())
		}
		return pause
	}
	f.writeAll(ctx, f.changes(pending, found, at))
	return max(pause-f.Now().Sub(answered), 0)
}

// pauseAfter is the pause after an answer, or an error, that took so long. A priorityd that is unavailable forecasts nothing.
func pauseAfter(took time.Duration, err error) time.Duration {
	pause := max(forecastAgain, forecastShare*took)
	switch {
	case status.Code(err) == codes.Unavailable:
		return forecastAgain
	case err != nil:
		return min(pause, forecastFailed)
	}
	return pause
}

// pending is all pending work, as much as priorityd takes in a call, in turn of the namespaces.
func (f *Forecasts) pending() []*workload.Record {
	pending := inTurn(slices.DeleteFunc(f.Book.Records(""), func(r *workload.Record) bool { return !r.Pending() }))
	return pending[:min(len(pending), jobsOfSync)]
}

// ask returns the forecasts of priorityd, and their time. A priorityd that knows no forecasts, or does not give them to
// the controller, has none.
func (f *Forecasts) ask(ctx context.Context, pending []*workload.Record) (map[types.UID]forecast.Forecast, time.Time, error) {
	found, at := map[types.UID]forecast.Forecast{}, f.Now()
	if f.Off || len(pending) == 0 { // No ids would mean all jobs.
		return found, at, nil
	}
	request := &pb.ForecastStartsRequest{Levels: forecast.Levels}
	for _, r := range pending {
		request.JobIds = append(request.JobIds, string(r.UID))
	}
	answer, err := client.AllForecasts(ctx, request, f.Service.ForecastStarts)
	if f.isDenied(err) {
		return found, at, nil
	} else if err != nil {
		return nil, at, err
	}
	for _, row := range answer.GetForecasts() {
		if start, ok := forecast.Of(row); ok {
			found[types.UID(row.GetJobId())] = start
		}
	}
	if answer.GetAsOf().IsValid() {
		at = answer.GetAsOf().AsTime()
	}
	return found, at, nil
}

// isDenied reports whether this priorityd gives no forecasts, and logs when that changes.
func (f *Forecasts) isDenied(err error) bool {
	why := ""
	if code := status.Code(err); code == codes.Unimplemented || code == codes.PermissionDenied || isSwitchedOff(err) {
		why = err.Error()
	}
	if why != "" && why != f.denied {
		f.Log.Info("priorityd gives no forecasts", "error", why)
	}
	f.denied = why
	return why != ""
}

// isSwitchedOff reports whether priorityd was started without forecasts.
func isSwitchedOff(err error) bool {
	e := (*client.Error)(nil)
	return errors.As(err, &e) && e.Code == codes.FailedPrecondition && e.Reason == "NO_FORECASTS"
}

// forecastChange is an annotation to write.
type forecastChange struct {
	record *workload.Record
	start  *forecast.Forecast // Nil = to remove.
	turn   int                // 0 = to remove, 1 = no forecast is stated, 2 = another one is, 3 = the last write failed.
}

// forecastTry is the last write of an annotation.
type forecastTry struct {
	at     time.Time
	failed bool
}

// changes are the annotations to write until the next pass, by their turns: first those that are unwritten for longest,
// then those with the first starts. What another writer wrote counts as no forecast.
func (f *Forecasts) changes(pending []*workload.Record, found map[types.UID]forecast.Forecast, at time.Time) []forecastChange {
	var changes []forecastChange
	tried := map[types.UID]forecastTry{} // Of pending work only.
	f.countMissed(pending, found)
	for _, r := range pending {
		if try, ok := f.tried[r.UID]; ok {
			tried[r.UID] = try
		}
		stated, isStated := forecast.Parse(r.Forecast)
		start, isKnown := found[r.UID]
		switch {
		case !isKnown && r.Forecast != "" && (!isStated || f.mayRemove(r.UID)):
			changes = append(changes, forecastChange{r, nil, 0})
		case isKnown && !isStated:
			changes = append(changes, forecastChange{r, &start, 1})
		case isKnown && start.MovedFrom(stated, at):
			changes = append(changes, forecastChange{r, &start, 2})
		}
	}
	f.tried = tried
	for i, change := range changes {
		if tried[change.record.UID].failed {
			changes[i].turn = 3
		}
	}
	slices.SortStableFunc(changes, func(a, b forecastChange) int {
		unwritten := tried[a.record.UID].at.Compare(tried[b.record.UID].at)
		return cmp.Or(cmp.Compare(a.turn, b.turn), unwritten, a.median().Compare(b.median()))
	})
	most := int(float64(f.Limit.Limit()) * forecastAgain.Seconds())
	return changes[:min(len(changes), max(most, 1))]
}

// countMissed counts the answers without any forecast, and those without one for work that is pending. A priorityd that
// has just started gives none, then some, until it has learned.
func (f *Forecasts) countMissed(pending []*workload.Record, found map[types.UID]forecast.Forecast) {
	if len(found) == 0 {
		f.missed = nil
		if f.emptySince.IsZero() {
			f.emptySince = f.Now()
		}
		return
	}
	missed := map[types.UID]int{}
	for _, r := range pending {
		if _, isKnown := found[r.UID]; !isKnown {
			missed[r.UID] = f.missed[r.UID] + 1
		}
	}
	f.emptySince, f.missed = time.Time{}, missed
}

// mayRemove reports whether forecasts have been missing for so long that the annotation of this work is removed.
func (f *Forecasts) mayRemove(id types.UID) bool {
	isEmpty := !f.emptySince.IsZero() && f.Now().Sub(f.emptySince) >= forecastKept
	return f.Off || isEmpty || f.missed[id] >= forecastMissed
}

func (c forecastChange) median() time.Time {
	if c.start == nil {
		return time.Time{}
	}
	return c.start.Q50
}

// writeAll writes annotations until several writes in a row have failed: no other will succeed now.
func (f *Forecasts) writeAll(ctx context.Context, changes []forecastChange) {
	faults := 0
	for _, change := range changes {
		if faults == forecastFaults || f.Limit.Wait(ctx) != nil {
			return
		}
		err := f.write(ctx, change)
		f.tried[change.record.UID] = forecastTry{f.Now(), err != nil}
		if faults++; err == nil || concernsOne(err) {
			faults = 0
		}
	}
}

// write writes an annotation, if its work still waits.
func (f *Forecasts) write(ctx context.Context, change forecastChange) error {
	r, _ := f.Book.Get(change.record.UID)
	if r == nil || !r.Pending() {
		return nil
	}
	annotations := Annotations{workload.ForecastAnnotation: nil}
	if change.start != nil {
		text := change.start.Text()
		annotations[workload.ForecastAnnotation] = &text
	}
	if err := f.Annotator.Annotate(ctx, r, annotations); err != nil {
		if ctx.Err() == nil {
			f.Log.Info("forecast not written", "workload", r.Key(), "error", err.Error())
		}
		return err
	}
	forecastsWritten.Inc()
	return nil
}
