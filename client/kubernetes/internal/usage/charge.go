package usage

import (
	"fmt"
	"maps"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	// slice is the length of the segments of a running attempt, from its begin on. It must not change: two versions
	// with different lengths would charge twice.
	slice = 5 * 60
	// grace is the delay from the end of a slice to its charge, as the end of an attempt may be reported late. After
	// a still later report the record is corrected.
	grace = 15
	// remembered is the largest lag of the stored Until of a running attempt: the charges that a restart sends again.
	remembered = 60 * 60
	// mostSegments is the largest number of segments in a step; the next step has the rest.
	mostSegments = 1024
)

// Segment is an interval with constant TRES.
type Segment struct {
	Begin, End int64
	Attempt    Attempt
}

// Step is the next work for a Workload: charge its segments and, once they are durable, write its ledger.
type Step struct {
	Segments []Segment
	Ledger   Ledger
	Write    bool
}

// Next is the step that follows from a Workload's state in the API and its ledger. In whole seconds, the
// resolution of times in the API. A step has a bounded number of segments.
func Next(r *workload.Record, ledger Ledger, place workload.Place, now time.Time) Step {
	if ledger.Open == nil {
		return open(r, ledger, place, now)
	}
	end, over := endOf(r, ledger, now)
	limit := end
	if !over {
		limit = now.Unix() - grace
	}
	next := Ledger{Until: ledger.Until, Open: ledger.Open, End: ledger.End}
	segments := cut(*ledger.Open, max(ledger.Until, ledger.Open.Begin), limit, over)
	if len(segments) > 0 {
		next.Until = segments[len(segments)-1].End
	}
	switch {
	case len(segments) == mostSegments && next.Until < limit:
		return Step{segments, next, true}
	case over:
		return Step{segments, Ledger{Until: max(end, next.Until)}, true}
	case changed(r, *ledger.Open, place):
		return change(r, ledger, place, now)
	default:
		return Step{segments, next, next.Until-ledger.Open.Begin >= remembered && crossesHour(ledger, next)}
	}
}

// crossesHour reports whether the charges reach another hour of an attempt.
func crossesHour(before, after Ledger) bool {
	begin := before.Open.Begin
	return (max(before.Until, begin)-begin)/remembered != (after.Until-begin)/remembered
}

// open begins an attempt without charges.
func open(r *workload.Record, ledger Ledger, place workload.Place, now time.Time) Step {
	none := Step{Ledger: Ledger{Until: ledger.Until}}
	if r.Admitted.IsZero() || len(r.Usage) == 0 {
		return none
	}
	// With a clock behind that of the API server, charge nothing from before the Workload's creation.
	begin := max(r.Admitted.Unix(), r.Created.Unix())
	if end, over := endOf(r, Ledger{Open: &Attempt{Begin: begin}}, now); over && end <= max(ledger.Until, begin) {
		return none
	}
	return Step{Write: true, Ledger: Ledger{Until: ledger.Until, Open: &Attempt{
		Begin: begin, Past: r.Past, TRES: r.Usage,
		Account: place.Account, User: place.User, Partition: place.Partition, QOS: place.QOS}}}
}

// endOf is the end of an attempt, and whether it has ended. A deleted Pod may run until the end of its grace period.
func endOf(r *workload.Record, ledger Ledger, now time.Time) (int64, bool) {
	attempt := ledger.Open
	switch {
	case ledger.End != 0:
		return max(ledger.End, attempt.Begin), true
	case r.Admitted.Unix() > attempt.Begin:
		// It was evicted and admitted again between two updates: Kueue has counted the attempt's seconds.
		return min(attempt.Begin+max(r.Past-attempt.Past, 0), r.Admitted.Unix()), true
	case !r.Ended.IsZero():
		return max(r.Ended.Unix(), attempt.Begin), true
	case !r.Deleted.IsZero() && !r.Deleted.After(now):
		return max(r.Deleted.Unix(), attempt.Begin), true
	default:
		return 0, false
	}
}

// Closed is the ledger of a deleted Workload, with the end of its open attempt.
func Closed(r *workload.Record, ledger Ledger, now time.Time) Ledger {
	if ledger.Open == nil || ledger.End != 0 {
		return ledger
	}
	if end, over := endOf(r, ledger, now); over {
		ledger.End = end
	}
	return ledger
}

// cut divides an interval of an attempt into segments that end with slices. The last segment is shorter if the
// attempt has ended there; otherwise it is left for later. At most mostSegments.
func cut(attempt Attempt, from, limit int64, over bool) []Segment {
	var segments []Segment
	for from < limit && len(segments) < mostSegments {
		end := attempt.Begin + ((from-attempt.Begin)/slice+1)*slice
		if end > limit {
			if !over {
				break
			}
			end = limit
		}
		segments = append(segments, Segment{from, end, attempt})
		from = end
	}
	return segments
}

// changed reports whether an attempt has other TRES than before, or another account or user, because an administrator
// has changed the map of namespaces.
func changed(r *workload.Record, attempt Attempt, place workload.Place) bool {
	return !maps.Equal(r.Usage, attempt.TRES) && len(r.Usage) > 0 ||
		attempt.Account != place.Account || attempt.User != place.User
}

// change charges the old TRES up to now to the old account, and continues with the new ones.
func change(r *workload.Record, ledger Ledger, place workload.Place, now time.Time) Step {
	attempt := *ledger.Open
	until := max(now.Unix(), ledger.Until, attempt.Begin)
	segments := cut(attempt, max(ledger.Until, attempt.Begin), until, true)
	if count := len(segments); count == mostSegments {
		until = segments[count-1].End
	}
	if until >= now.Unix() {
		attempt.Account, attempt.User = place.Account, place.User
		if len(r.Usage) > 0 {
			attempt.TRES = r.Usage
		}
	}
	return Step{segments, Ledger{Until: until, Open: &attempt}, true}
}

// Record is the usage record of a segment of a Workload.
func (s Segment) Record(source string, job string) *pb.UsageRecord {
	return &pb.UsageRecord{
		Source:    source,
		RecordId:  fmt.Sprintf("%s/%d", job, s.Begin),
		JobId:     job,
		User:      s.Attempt.User,
		Account:   s.Attempt.Account,
		Partition: s.Attempt.Partition,
		Qos:       s.Attempt.QOS,
		StartTime: &timestamppb.Timestamp{Seconds: s.Begin},
		EndTime:   &timestamppb.Timestamp{Seconds: s.End},
		Tres:      s.Attempt.TRES,
	}
}

// Correction replaces a record of the segment that was sent with another end: the attempt's end was reported late,
// or the controller crashed between a record and its ledger.
func (s Segment) Correction(source string, job string) *pb.UsageRecord {
	record := s.Record(source, job)
	record.ReplacesRecordId = record.RecordId
	record.RecordId = fmt.Sprintf("%s/%d-%d", job, s.Begin, s.End)
	return record
}
