package usage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"priorityd/kubernetes/internal/workload"
)

// owned is a Workload that was created at 1000 and admitted at 1100.
func owned() *workload.Record {
	return &workload.Record{UID: "w", Created: at(1000), Admitted: at(1100), Reserved: at(1100), TRES: four, Usage: four}
}

func own() Ledger {
	return Ledger{Until: 1400, Open: &Attempt{Begin: 1100, TRES: four, Account: "chem", User: "amy", Partition: "cq", QOS: "high"}}
}

func TestWhatTheControllerWroteStays(t *testing.T) {
	finished := owned()
	finished.Ended, finished.Finished, finished.Usage = at(1900), at(1900), nil
	deleted := owned()
	deleted.Deleted = at(1900)
	for _, r := range []*workload.Record{owned(), finished, deleted} {
		ledgers := []Ledger{own(), {Until: 1400}, {}}
		if r == deleted {
			ledgers = append(ledgers, Ledger{Until: 1200, Open: own().Open, End: 1900})
		}
		for _, ledger := range ledgers {
			if got, faults := Check(r, ledger, place, at(2000)); len(faults) > 0 || !reflect.DeepEqual(got, ledger) {
				t.Errorf("got %v, %v, want %v", got, faults, ledger)
			}
		}
	}
}

func TestWhatCannotBeIsNamedAndReplaced(t *testing.T) {
	spoilt := own()
	spoilt.Open.Begin = 0
	if _, faults := Check(owned(), spoilt, place, at(2000)); !reflect.DeepEqual(faults, []string{"begin: got 0, want 1000 to 2000"}) {
		t.Errorf("got %q", faults)
	}
	for field, spoil := range map[string]func(*Ledger){
		"begin":     func(l *Ledger) { l.Open.Begin = 0 },
		"past":      func(l *Ledger) { l.Open.Past = -99999999 },
		"account":   func(l *Ledger) { l.Open.Account = "victim-lab" },
		"user":      func(l *Ledger) { l.Open.User = "victim" },
		"partition": func(l *Ledger) { l.Open.Partition = "cheap" },
		"qos":       func(l *Ledger) { l.Open.QOS = "" },
		"tres":      func(l *Ledger) { l.Open.TRES = workload.TRES{"gres/gpu": 10000} },
	} {
		spoilt := own()
		spoil(&spoilt)
		got, faults := Check(owned(), spoilt, place, at(2000))
		if len(faults) != 1 || !strings.HasPrefix(faults[0], field+": got ") || !reflect.DeepEqual(got, own()) {
			t.Errorf("%s: got %+v, %v, want %+v", field, got.Open, faults, own().Open)
		}
	}
	for _, until := range []int64{4102444800, -5, 7} {
		spoilt := own()
		spoilt.Until = until
		if got, faults := Check(owned(), spoilt, place, at(2000)); got.Until != 0 || len(faults) != 1 {
			t.Errorf("until %d: got %v, %v, want that all is charged from the begin", until, got, faults)
		}
	}
}

// hostile is any ledger that an attacker may have written.
func hostile(random *rand.Rand) Ledger {
	number := func() int64 {
		return []int64{0, 1, -1, 900, 1000, 1100, 1999, 2000, 2050, 2100, 4102444800, math.MaxInt64, math.MinInt64, random.Int64N(4000)}[random.IntN(14)]
	}
	text := func(own string) string { return []string{own, own, "victim", ""}[random.IntN(4)] }
	ledger := Ledger{Until: number(), End: number()}
	if random.IntN(5) > 0 {
		ledger.Open = &Attempt{Begin: number(), Past: number(), Account: text("chem"), User: text("amy"), Partition: text("cq"), QOS: text("high"),
			TRES: []workload.TRES{four, two, nil, {"cpu": 1e18}, {"cpu": math.NaN()}, {"cpu": -4}, {"gres/gpu": 1, "license/x": 1}}[random.IntN(7)]}
	}
	return ledger
}

// No stored ledger charges more than the Workload could use, or another account or user; steps are bounded.
func TestAHostileLedgerChargesNobodyElseAndNoMoreThanTheWorkloadCouldUse(t *testing.T) {
	for seed := range uint64(20000) {
		random := rand.New(rand.NewPCG(seed, 7))
		r, now := owned(), int64(2000)
		if random.IntN(2) == 0 {
			r.Ended = at(1900)
		}
		claim := hostile(random)
		ledger, _ := Check(r, claim, place, at(now))
		cpuSeconds := 0.0
		for turn := range 20 {
			step := Next(r, ledger, place, at(now))
			if len(step.Segments) > mostSegments || turn == 19 && step.Write && len(step.Segments) > 0 {
				t.Fatalf("seed %d: %v: got %d segments in turn %d", seed, claim, len(step.Segments), turn)
			}
			for _, s := range step.Segments {
				cpuSeconds += s.Attempt.TRES["cpu"] * float64(s.End-s.Begin)
				if s.Begin < 1000 || s.End > now+skew || s.Attempt.Account != "chem" || s.Attempt.User != "amy" || s.Attempt.Partition != "cq" {
					t.Fatalf("seed %d: %v: got %+v", seed, claim, s)
				}
			}
			ledger = step.Ledger
		}
		if most := 4.0 * 1000; !(cpuSeconds <= most) {
			t.Fatalf("seed %d: %v: got %v CPU seconds, want at most %v", seed, fmt.Sprint(claim), cpuSeconds, most)
		}
	}
}

func TestAStepIsBounded(t *testing.T) {
	r := running(1000)
	ledger, turns := openFrom(1000), 0
	for now := at(1000 + 3000*slice); ; turns++ {
		step := Next(r, ledger, place, now)
		if len(step.Segments) > mostSegments {
			t.Fatalf("got %d segments, want at most %d", len(step.Segments), mostSegments)
		}
		if len(step.Segments) == 0 {
			break
		}
		ledger = step.Ledger
	}
	if want := int64(1000 + 2999*slice); ledger.Until != want || turns != 3 {
		t.Errorf("got charged up to %d in %d turns, want %d in 3", ledger.Until, turns, want)
	}
}

func TestALedgerOfAnySizeIsNotRead(t *testing.T) {
	for _, text := range []string{strings.Repeat(" ", mostLedgerBytes) + "{}", `{"until":1}{}`, `{"until":"1"}`, `{"other":1}`, `{"until":1e400}`} {
		if got, err := ParseLedger(text); err == nil || !reflect.DeepEqual(got, Ledger{}) {
			t.Errorf("%.40q: got %v, want an error", text, got)
		}
	}
}
