package fairsharing

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"priorityd/kubernetes/internal/weights"
)

const (
	quota    = 60
	length   = 34 * time.Minute // Of a Workload, on average.
	period   = 5 * time.Minute  // Between two recalculations.
	halfLife = 24 * time.Hour
)

// follow plays accounts with shares for four half-lives from a past that is as much as the cohort can be used, with the weights
// that priorityd-weights would write to Kueue. Usage decays as priorityd's does. It returns the usage of each as a part of all.
func follow(c *cohort, shares, past []float64) (parts []float64, writes int) {
	usage, written := make([]float64, len(shares)), time.Time{}
	for i, part := range past {
		usage[i] = part * quota * halfLife.Seconds() / math.Ln2
	}
	now := []float64{1, 1, 1}
	scale := weights.Scale{Kind: weights.Linear, Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6}
	for end := c.clock.Now().Add(4 * halfLife); c.clock.Now().Before(end); {
		level, total := make([]weights.Sibling, len(shares)), 0.0
		for _, used := range usage {
			total += used
		}
		parts = make([]float64, len(shares))
		for i := range shares {
			parts[i] = usage[i] / total
			level[i] = weights.Sibling{Share: shares[i], LevelFS: shares[i] / parts[i]}
		}
		if next, due := weights.Next(c.clock.Now(), written, now, weights.Targets(level, weights.Default), weights.Default); due {
			for i := range next {
				next[i] = scale.Value(next[i])
			}
			now, written = next, c.clock.Now()
			c.set(now)
			writes++
		}
		for i := range usage {
			usage[i] *= math.Exp2(-period.Seconds() / halfLife.Seconds())
		}
		then := c.clock.Now().Truncate(period).Add(period)
		c.until(then, func(queue, cpus int, from, to time.Time) {
			age := func(at time.Time) float64 { return math.Exp2(-then.Sub(at).Seconds() / halfLife.Seconds()) }
			usage[queue] += float64(cpus) * halfLife.Seconds() / math.Ln2 * (age(to) - age(from))
		})
	}
	return parts, writes
}

func TestKueuesOwnSchedulerPreemptsNothingBackInTenThousandAdmissions(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	shares, start := []float64{0.5, 0.3, 0.2}, time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	c := newCohort(t, len(shares), quota, start, func() time.Duration { return time.Duration((0.5 + random.Float64()) * float64(length)) })
	parts, writes := follow(c, shares, []float64{0.8, 0.15, 0.05})
	t.Logf("%d admissions, %d preemptions, %d writes, usage %.3f", c.admissions, c.preemptions, writes, parts)
	if c.admissions < 10_000 || c.preemptions == 0 || c.turned > 0 || c.twice > 0 {
		t.Errorf("%d admissions, %d preemptions: %d turned back, %d of one Workload twice, want none of both in 10000",
			c.admissions, c.preemptions, c.turned, c.twice)
	}
	for i, part := range parts {
		if math.Abs(part/shares[i]-1) > 0.05 {
			t.Errorf("got usage %.3f, want %.3f within 5 %%", parts, shares)
		}
	}
}
