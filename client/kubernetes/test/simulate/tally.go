package main

import (
	"fmt"
	"math"
)

// seen is the state of a Workload in Kueue: its priority, and the CPUs that it needs.
type seen struct {
	lifted int64
	cpus   float64
}

// tally counts pairs of which one was admitted and the other was not, or later: concordant if priorityd ranked the
// first before the second at the begin of the cycle.
type tally struct {
	concordant int
	smaller    int // Kueue skipped one that did not fit, for a smaller one that did (BestEffortFIFO).
	late       int // Kueue followed the boosts, which had an older order, or the order changed within the cycle.
	afterKill  int // Cycles left that count as disturbed.
	disturbed  int // Discordant just after a crash.
	discordant int // Nor that.
	admitted   int
	unranked   int // Submitted and admitted within one cycle: no ranking had them.
	cycles     int
}

// count takes a cycle: the admitted Workloads, in order, the places before it, and the last states in Kueue.
func (t *tally) count(admitted []string, before map[string]int, saw map[string]seen) {
	t.cycles++
	t.afterKill = max(t.afterKill-1, 0)
	gone := map[string]bool{}
	for _, uid := range admitted {
		t.admitted++
		gone[uid] = true
		place, ranked := before[uid]
		if !ranked {
			t.unranked++
			continue
		}
		for other, behind := range before {
			if !gone[other] {
				t.pair(place < behind, saw[uid], saw[other])
			}
		}
	}
}

func (t *tally) pair(inOrder bool, first, other seen) {
	switch {
	case inOrder:
		t.concordant++
	case first.lifted < other.lifted && first.cpus < other.cpus:
		t.smaller++
	case first.lifted >= other.lifted:
		t.late++
	case t.afterKill > 0:
		t.disturbed++
	default:
		t.discordant++
	}
}

func (t *tally) disagree() int { return t.smaller + t.late + t.disturbed + t.discordant }

// tau is Kendall's tau over those pairs: 1 = all as ranked, -1 = none.
func (t *tally) tau() float64 {
	others := t.disagree()
	return float64(t.concordant-others) / float64(max(t.concordant+others, 1))
}

func (t *tally) report() {
	others := t.disagree()
	fmt.Printf("%d admissions in %d cycles: Kendall's tau with RankJobs at the cycle's begin is %.4f over %d pairs.\n"+
		"Of the %d pairs that disagree, in %d Kueue followed the boosts, which had an older order; in %d it skipped one that did not fit; %d were just after a crash; %d are others.\n"+
		"%d came and were admitted within a cycle.\n",
		t.admitted, t.cycles, t.tau(), t.concordant+others, others, t.late, t.smaller, t.disturbed, t.discordant, t.unranked)
}

// distance is the distance of usage from shares: half of the sum of the parts' differences, 0 to 1.
func distance(usage, shares map[string]float64) float64 {
	used, shared := 0.0, 0.0
	for account := range usage {
		used, shared = used+usage[account], shared+shares[account]
	}
	sum := 0.0
	for account := range usage {
		sum += math.Abs(usage[account]/math.Max(used, 1)-shares[account]/math.Max(shared, 1)) / 2
	}
	return sum
}
