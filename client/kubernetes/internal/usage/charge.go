package usage

import (
	"fmt"
	"maps"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	// slice is what a running attempt is cut into, from its begin on. It may not change: two versions
	// that cut differently would charge twice.
	slice = 5 * 60
	// grace is how long after its end a slice is charged, as the end of an attempt may be told late. Should it
	// be told still later, the record is corrected.
	grace = 15
	// remembered is how far Until may fall behind while an attempt runs: what is sent again after a restart.
	remembered = 60 * 60
	// mostSegments is how many segments a step has at most; what is left follows in the next one.
	mostSegments = 1024
)

// Segment is a stretch of time with the same TRES all along.
type Segment struct {
	Begin, End int64
	Attempt    Attempt
}

// Step is what is to be done next for a Workload: its segments are charged and, once they are durable, its
// ledger written.
type Step struct {
	Segments []Segment
	Ledger   Ledger
	Write    bool
}

// Next is what follows from what the API says of a Workload and what is charged of it. Whole
// seconds, as the API tells time. A step has a bounded number of segments.
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

// crossesHour is whether another hour of an attempt is charged.
func crossesHour(before, after Ledger) bool {
	begin := before.Open.Begin
	return (max(before.Until, begin)-begin)/remembered != (after.Until-begin)/remembered
}

// open begins an attempt that is not charged yet.
func open(r *workload.Record, ledger Ledger, place workload.Place, now time.Time) Step {
	none := Step{Ledger: Ledger{Until: ledger.Until}}
	if r.Admitted.IsZero() || len(r.Usage) == 0 {
		return none
	}
	// A clock that is behind that of the API server does not charge what was before the Workload.
	begin := max(r.Admitted.Unix(), r.Created.Unix())
	if end, over := endOf(r, Ledger{Open: &Attempt{Begin: begin}}, now); over && end <= max(ledger.Until, begin) {
		return none
	}
	return Step{Write: true, Ledger: Ledger{Until: ledger.Until, Open: &Attempt{
		Begin: begin, Past: r.Past, TRES: r.Usage,
		Account: place.Account, User: place.User, Partition: place.Partition, QOS: place.QOS}}}
}

// endOf is when an attempt ended, and whether it did. A Pod that is deleted may run on until its grace period is over.
func endOf(r *workload.Record, ledger Ledger, now time.Time) (int64, bool) {
	attempt := ledger.Open
	switch {
	case ledger.End != 0:
		return max(ledger.End, attempt.Begin), true
	case r.Admitted.Unix() > attempt.Begin:
		// It was evicted and admitted again unseen: Kueue has counted how long it ran.
		return min(attempt.Begin+max(r.Past-attempt.Past, 0), r.Admitted.Unix()), true
	case !r.Ended.IsZero():
		return max(r.Ended.Unix(), attempt.Begin), true
	case !r.Deleted.IsZero() && !r.Deleted.After(now):
		return max(r.Deleted.Unix(), attempt.Begin), true
	default:
		return 0, false
	}
}

// Closed is the ledger of a Workload that is no more, with the end of its open attempt.
func Closed(r *workload.Record, ledger Ledger, now time.Time) Ledger {
	if ledger.Open == nil || ledger.End != 0 {
		return ledger
	}
	if end, over := endOf(r, ledger, now); over {
		ledger.End = end
	}
	return ledger
}

// cut is an attempt from a time up to another in segments that end where slices do. The last one is
// shorter, if the attempt is over there, else left for later. There are mostSegments of them at most.
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

// changed is whether an attempt holds something else than before, or somebody else is to be charged: an administrator has
// changed whose the namespace is.
func changed(r *workload.Record, attempt Attempt, place workload.Place) bool {
	return !maps.Equal(r.Usage, attempt.TRES) && len(r.Usage) > 0 ||
		attempt.Account != place.Account || attempt.User != place.User
}

// change charges what was held up to now to who was charged, and goes on with what holds from now on.
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

// Record is how priorityd is told of a segment of a Workload.
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

// Correction replaces a record of the segment that was sent with another end: the attempt's end was told late,
// or the controller was killed between a record and its ledger.
func (s Segment) Correction(source string, job string) *pb.UsageRecord {
	record := s.Record(source, job)
	record.ReplacesRecordId = record.RecordId
	record.RecordId = fmt.Sprintf("%s/%d-%d", job, s.Begin, s.End)
	return record
}
