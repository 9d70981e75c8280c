package weights

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// cohort plays Kueue's fair sharing (v0.19) for ClusterQueues without nominal quota in a cohort, on a manual clock. Each has
// always pending Workloads of one CPU. The next one admitted is of the queue with the lowest share with it, where a share is
// usage / weight. Without free quota a queue preempts the newest Workload of another whose share without it is not less than
// its own with the new one: LessThanOrEqualToFinalShare.
type cohort struct {
	quota   int
	length  time.Duration // Of a Workload, on average.
	random  *rand.Rand
	weights []float64
	running [][]*work // By queue, in order of admission.
	waiting [][]*work // Preempted.
	now     time.Duration

	admissions, preemptions int
	// Of the present weights: whether a queue has preempted another one.
	preempted map[[2]int]bool
	turned    int // Pairs that preempted each other under the same weights.
	twice     int // Workloads that were preempted twice under the same weights.
}

type work struct {
	end       time.Duration
	left      time.Duration
	preempted int // Under the present weights.
}

func newCohort(queues, quota int, length time.Duration) *cohort {
	c := &cohort{quota: quota, length: length, random: rand.New(rand.NewPCG(7, 7)), running: make([][]*work, queues),
		waiting: make([][]*work, queues), weights: make([]float64, queues), preempted: map[[2]int]bool{}}
	for i := range c.weights {
		c.weights[i] = 1
	}
	return c
}

// set sets other weights.
func (c *cohort) set(weights []float64) {
	c.weights = weights
	clear(c.preempted)
	for _, queue := range append(slices.Clone(c.running), c.waiting...) {
		for _, w := range queue {
			w.preempted = 0
		}
	}
}

func (c *cohort) share(queue, more int) float64 {
	return float64(len(c.running[queue])+more) / c.weights[queue]
}

// until plays to a time; `used` gets the CPU time of each queue.
func (c *cohort) until(end time.Duration, used func(queue int, from, to time.Duration)) {
	for {
		for c.admit() || c.preempt() {
		}
		next := end
		for _, queue := range c.running {
			for _, w := range queue {
				next = min(next, w.end)
			}
		}
		for queue := range c.running {
			for range c.running[queue] {
				used(queue, c.now, next)
			}
			c.running[queue] = slices.DeleteFunc(c.running[queue], func(w *work) bool { return w.end <= next })
		}
		if c.now = next; next == end {
			return
		}
	}
}

func (c *cohort) admit() bool {
	running := 0
	for _, queue := range c.running {
		running += len(queue)
	}
	if running >= c.quota {
		return false
	}
	c.start(c.lowest())
	return true
}

// lowest is the queue whose share with one more is the lowest.
func (c *cohort) lowest() int {
	best := 0
	for queue := range c.running {
		if c.share(queue, 1) < c.share(best, 1) {
			best = queue
		}
	}
	return best
}

func (c *cohort) start(queue int) {
	w := &work{left: time.Duration((0.5 + c.random.Float64()) * float64(c.length))}
	if waiting := c.waiting[queue]; len(waiting) > 0 {
		w, c.waiting[queue] = waiting[0], waiting[1:]
	}
	w.end = c.now + w.left
	c.running[queue] = append(c.running[queue], w)
	c.admissions++
}

// preempt preempts one Workload, if Kueue would.
func (c *cohort) preempt() bool {
	by, of := c.lowest(), 0
	for queue := range c.running {
		if c.share(queue, 0) > c.share(of, 0) {
			of = queue
		}
	}
	if by == of || len(c.running[of]) == 0 || c.share(by, 1) > c.share(of, -1) {
		return false
	}
	last := len(c.running[of]) - 1
	w := c.running[of][last]
	c.running[of] = c.running[of][:last]
	w.left = w.end - c.now
	if w.preempted++; w.preempted == 2 {
		c.twice++
	}
	c.waiting[of] = append(c.waiting[of], w)
	c.preemptions++
	c.preempted[[2]int{by, of}] = true
	if c.preempted[[2]int{of, by}] {
		c.turned++
	}
	c.start(by)
	return true
}

const halfLife = 24 * time.Hour

// course is how a level of accounts went: the usage of each as a part of all, at each recalculation.
type course struct {
	usage   [][]float64
	writes  int
	cohort  *cohort
	changes []time.Duration
	late    int // Preemptions in the last two half-lives.
}

// run plays accounts with shares for four half-lives, from a past that is as much as the cohort can be used, divided unequally.
// Usage decays as priorityd's does, and is recalculated each five minutes.
func run(shares, past []float64, follow bool) course {
	const quota, length, period = 60, 34 * time.Minute, 5 * time.Minute
	c := course{cohort: newCohort(len(shares), quota, length)}
	usage := make([]float64, len(shares))
	whole := quota * halfLife.Seconds() / math.Ln2
	for i, part := range past {
		usage[i] = part * whole
	}
	scale := Scale{Kind: Linear, Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6}
	written := time.Time{}
	for now := time.Duration(0); now < 4*halfLife; now += period {
		total := 0.0
		for _, u := range usage {
			total += u
		}
		level, part := make([]Sibling, len(shares)), make([]float64, len(shares))
		for i := range shares {
			part[i] = usage[i] / total
			level[i] = Sibling{Share: shares[i], LevelFS: shares[i] / part[i]}
		}
		c.usage = append(c.usage, part)
		if follow {
			if next, due := Next(start.Add(now), written, c.cohort.weights, Targets(level, Default), Default); due {
				for i := range next {
					next[i] = scale.Value(next[i])
				}
				c.cohort.set(next)
				written = start.Add(now)
				c.writes++
				c.changes = append(c.changes, now)
			}
		}
		before := c.cohort.preemptions
		for i := range usage {
			usage[i] *= math.Exp2(-period.Seconds() / halfLife.Seconds())
		}
		c.cohort.until(now+period, func(queue int, from, to time.Duration) {
			// What was used at a time has decayed since.
			age := func(at time.Duration) float64 { return math.Exp2(-(now + period - at).Seconds() / halfLife.Seconds()) }
			usage[queue] += halfLife.Seconds() / math.Ln2 * (age(to) - age(from))
		})
		if now >= 2*halfLife {
			c.late += c.cohort.preemptions - before
		}
	}
	return c
}

// worst is the largest distance of usage from the shares at the end, as a part of the share.
func (c course) worst(shares []float64) float64 {
	most := 0.0
	for i, part := range c.usage[len(c.usage)-1] {
		most = max(most, math.Abs(part/shares[i]-1))
	}
	return most
}

var (
	equalShares   = []float64{1. / 3, 1. / 3, 1. / 3}
	unequalShares = []float64{0.5, 0.3, 0.2}
	unequalPast   = []float64{0.8, 0.15, 0.05}
)

func TestUsageReachesTheSharesOverFourHalfLivesWithWeightsAndNotWithout(t *testing.T) {
	for name, shares := range map[string][]float64{"equal": equalShares, "unequal": unequalShares} {
		for _, follow := range []bool{true, false} {
			c := run(shares, unequalPast, follow)
			if worst := c.worst(shares); (worst <= 0.05) != follow {
				t.Errorf("%s shares, weights %v: got a distance of %.3f, want 0.05 at most only with weights", name, follow, worst)
			} else {
				t.Logf("%s shares, weights %v: distance %.3f, %d writes, %d admissions, %d preemptions", name, follow, worst, c.writes, c.cohort.admissions, c.cohort.preemptions)
			}
		}
	}
}

func TestTenThousandAdmissionsHaveNoPreemptionThatTurnsBack(t *testing.T) {
	for name, shares := range map[string][]float64{"equal": equalShares, "unequal": unequalShares} {
		c := run(shares, unequalPast, true)
		if c.cohort.admissions < 10_000 || c.cohort.turned > 0 || c.cohort.twice > 0 || c.cohort.preemptions == 0 {
			t.Errorf("%s: %d admissions, %d preemptions: %d turned back, %d of one Workload twice, want none of both in 10000",
				name, c.cohort.admissions, c.cohort.preemptions, c.cohort.turned, c.cohort.twice)
		}
		if c.late > c.cohort.preemptions/10 {
			t.Errorf("%s: %d of %d preemptions are in the last two half-lives, want a tenth at most", name, c.late, c.cohort.preemptions)
		}
		for i := 1; i < len(c.changes); i++ {
			if c.changes[i]-c.changes[i-1] < Default.Interval {
				t.Errorf("%s: two changes within %v", name, c.changes[i]-c.changes[i-1])
			}
		}
	}
}

// LevelFS alone, without the shares, has its equilibrium at the roots of the shares: why Base is Shares.
func TestLevelFSAloneSettlesAtTheRootsOfTheShares(t *testing.T) {
	settle := func(base Base) []float64 {
		rule := Rule{Base: base, Gain: 1, Min: 1e-3, Max: 1e3}
		usage := slices.Clone(equalShares)
		for range 2000 {
			level := make([]Sibling, len(usage))
			for i := range usage {
				level[i] = Sibling{Share: unequalShares[i], LevelFS: unequalShares[i] / usage[i]}
			}
			weights, sum := Targets(level, rule), 0.0
			for _, w := range weights {
				sum += w
			}
			for i := range usage {
				usage[i] += 0.01 * (weights[i]/sum - usage[i])
			}
		}
		return usage
	}
	if got := settle(Shares); !near(got, unequalShares) {
		t.Errorf("with shares: got %v, want %v", got, unequalShares)
	}
	sum := math.Sqrt(0.5) + math.Sqrt(0.3) + math.Sqrt(0.2)
	if got, want := settle(Equal), []float64{math.Sqrt(0.5) / sum, math.Sqrt(0.3) / sum, math.Sqrt(0.2) / sum}; !near(got, want) {
		t.Errorf("without: got %v, want %v", got, want)
	}
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(cmp.Or(x/y, 2)-1) < 0.01 })
}
