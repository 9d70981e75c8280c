package weights

import (
	"math"
	"slices"
	"time"
)

// Next are the weights to write for siblings, from those that the scheduler has; false = write nothing.
//
// Nothing is written within Interval of the last change, or while each weight is within the dead band of its target.
// Otherwise all siblings move at once, by one part of the way on a logarithmic scale, such that the longest move is Step. So
// a scheduler sees fixed weights between two changes, and after enough changes each weight is its target.
//
// Only ratios of siblings count: a move is relative to the geometric mean. Weights that the scheduler has whose ratio is more
// than Max / Min are first brought to that.
func Next(now, written time.Time, has, targets []float64, r Rule) ([]float64, bool) {
	if !written.IsZero() && now.Sub(written) < r.Interval {
		return nil, false
	}
	off := offs(has, targets, r)
	longest := 0.0
	for _, o := range off {
		longest = max(longest, math.Abs(o))
	}
	if longest <= math.Log1p(r.DeadBand) {
		return nil, false
	}
	left := 1 - min(1, math.Log(r.Step)/longest)
	next := make([]float64, len(targets))
	for i, target := range targets {
		next[i] = target * math.Exp(left*off[i])
	}
	return fitted(next, r), true
}

// offs are the logarithms of how much larger the ratios of weights are than those of their targets; their mean is 0.
func offs(has, targets []float64, r Rule) []float64 {
	largest := slices.Max(has)
	off, mean := make([]float64, len(has)), 0.0
	for i, weight := range has {
		if largest > 0 && !math.IsInf(weight, 1) { // A priority can mean a weight of infinity; it is the largest.
			off[i] = math.Log(clip(weight/largest, r.Min/r.Max, 1))
		}
		off[i] -= math.Log(targets[i])
		mean += off[i] / float64(len(has))
	}
	for i := range off {
		off[i] -= mean
	}
	return off
}

// fitted are weights times one factor with which they are within the bounds.
func fitted(weights []float64, r Rule) []float64 {
	factor := clip(1, r.Min/slices.Min(weights), math.Inf(1))
	factor = min(factor, r.Max/slices.Max(weights))
	for i := range weights {
		weights[i] = clip(weights[i]*factor, r.Min, r.Max)
	}
	return weights
}
