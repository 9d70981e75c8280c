package usage

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"priorityd/kubernetes/internal/workload"
)

var (
	place = workload.Place{Account: "chem", User: "amy", Partition: "cq", QOS: "high"}
	four  = workload.TRES{"cpu": 4, "gres/gpu": 1}
	two   = workload.TRES{"cpu": 2}
)

func at(second int64) time.Time { return time.Unix(second, 0) }

func running(begin int64) *workload.Record {
	return &workload.Record{UID: "w", Admitted: at(begin), Reserved: at(begin), Usage: four}
}

func ended(begin, end int64) *workload.Record {
	r := running(begin)
	r.Ended = at(end)
	return r
}

// charged are the intervals of some segments.
func charged(segments []Segment) string {
	text := ""
	for _, s := range segments {
		text += fmt.Sprintf("[%d,%d)x%v ", s.Begin, s.End, s.Attempt.TRES["cpu"])
	}
	return text
}

func openFrom(begin int64) Ledger { return Next(running(begin), Ledger{}, place, at(begin)).Ledger }

func TestAttemptIsWrittenDownBeforeItIsCharged(t *testing.T) {
	step := Next(ended(1000, 1200), Ledger{}, place, at(5000))
	want := Attempt{Begin: 1000, TRES: four, Account: "chem", User: "amy", Partition: "cq", QOS: "high"}
	if len(step.Segments) != 0 || !step.Write || !reflect.DeepEqual(*step.Ledger.Open, want) {
		t.Errorf("got %+v, want %+v and nothing charged", step, want)
	}
}

func TestCharges(t *testing.T) {
	evicted := &workload.Record{UID: "w", Ended: at(1100)}
	again := running(1500)
	again.Past = 130
	deleted := running(1000)
	deleted.Deleted = at(1090)
	for _, c := range []struct {
		name   string
		record *workload.Record
		until  int64
		now    int64
		want   string
		over   bool
	}{
		{"nothing while the first slice lasts", running(1000), 0, 1310, "", false},
		{"a slice, a while after it is over", running(1000), 0, 1315, "[1000,1300)x4 ", false},
		{"only what is not charged yet", running(1000), 1300, 1915, "[1300,1600)x4 [1600,1900)x4 ", false},
		{"all of an attempt that is over, at once", ended(1000, 1342), 0, 1342, "[1000,1300)x4 [1300,1342)x4 ", true},
		{"an attempt that was evicted", evicted, 0, 1101, "[1000,1100)x4 ", true},
		{"an eviction that was not seen", again, 0, 2000, "[1000,1130)x4 ", true},
		{"what is deleted, up to then", deleted, 0, 1100, "[1000,1090)x4 ", true},
		{"an attempt of no length", ended(1000, 1000), 0, 1000, "", true},
		{"an end reported late", ended(1000, 1250), 1300, 1320, "", true},
	} {
		ledger := openFrom(1000)
		ledger.Until = c.until
		step := Next(c.record, ledger, place, at(c.now))
		if got := charged(step.Segments); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if over := step.Ledger.Open == nil; over != c.over || over && !step.Write {
			t.Errorf("%s: got ledger %v, want it over: %v", c.name, step.Ledger, c.over)
		}
	}
}

func TestWhatIsChargedIsNotChargedAgain(t *testing.T) {
	deleted := running(1000)
	deleted.Deleted = at(1342)
	for _, r := range []*workload.Record{ended(1000, 1342), deleted} {
		if step := Next(r, Ledger{Until: 1342}, place, at(9000)); step.Write || len(step.Segments) > 0 {
			t.Errorf("got %+v, want nothing", step)
		}
	}
}

func TestResizeSplitsASegment(t *testing.T) {
	r := running(1000)
	r.Usage = two
	step := Next(r, openFrom(1000), place, at(1400))
	if got, want := charged(step.Segments), "[1000,1300)x4 [1300,1400)x4 "; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	r.Ended = at(1700)
	step = Next(r, step.Ledger, place, at(1700))
	if got, want := charged(step.Segments), "[1400,1600)x2 [1600,1700)x2 "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLedgerIsReadAsItWasWritten(t *testing.T) {
	ledger := openFrom(1000)
	ledger.Until = 1300
	read, err := ParseLedger(ledger.String())
	if err != nil || !reflect.DeepEqual(read, ledger) {
		t.Errorf("got %v %v, want %v", read, err, ledger)
	}
	if _, err := ParseLedger("{"); err == nil {
		t.Error("got no error of half a ledger")
	}
}

func TestRecordNamesWhoAndWhen(t *testing.T) {
	segment := Segment{1000, 1300, *openFrom(1000).Open}
	record, correction := segment.Record("k", "w"), segment.Correction("k", "w")
	if record.RecordId != "w/1000" || record.JobId != "w" || record.Source != "k" || record.User != "amy" ||
		record.Account != "chem" || record.Partition != "cq" || record.Qos != "high" ||
		record.StartTime.Seconds != 1000 || record.EndTime.Seconds != 1300 || record.Tres["gres/gpu"] != 1 {
		t.Errorf("got %v", record)
	}
	if correction.ReplacesRecordId != "w/1000" || correction.RecordId == "w/1000" || correction.EndTime.Seconds != 1300 {
		t.Errorf("got %v", correction)
	}
}

// service stores records by their ids, as priorityd does.
type service map[string]Segment

func (s service) take(t *testing.T, segment Segment) {
	id := segment.Record("k", "w").RecordId
	known, ok := s[id]
	if ok && known.End > segment.End {
		t.Fatalf("got %v after %v, want no record to shrink", segment, known)
	}
	s[id] = segment
}

// A Workload of some attempts, whose controller crashes between any two of its actions.
func TestKilledAnywhereTheSumIsThatOfTheAttempts(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 5))
		books, want := service{}, int64(0)
		stored := Ledger{}
		for begin := int64(1000); begin < 6000; begin += 1 + random.Int64N(500) {
			length := random.Int64N(2000)
			for _, now := range []int64{0, length / 3, length / 2, length, length + 400} {
				r := running(begin)
				if now >= length {
					r.Ended = at(begin + length)
				}
				for range 3 {
					step := Next(r, stored, place, at(begin+now))
					for _, segment := range step.Segments {
						if random.IntN(8) == 0 {
							break // A crash before all is sent.
						}
						books.take(t, segment)
					}
					if random.IntN(3) == 0 {
						continue // A crash before the ledger is written.
					}
					for _, segment := range step.Segments {
						books.take(t, segment)
					}
					if step.Write {
						stored = step.Ledger
					}
				}
			}
			r := ended(begin, begin+length)
			for range 4 {
				step := Next(r, stored, place, at(begin+length+400))
				for _, segment := range step.Segments {
					books.take(t, segment)
				}
				if step.Write {
					stored = step.Ledger
				}
			}
			want += length
			begin += length
		}
		got := int64(0)
		for _, segment := range books {
			got += segment.End - segment.Begin
		}
		if got != want {
			t.Fatalf("seed %d: got %d seconds, want %d", seed, got, want)
		}
	}
}
