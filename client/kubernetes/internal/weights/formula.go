// Package weights converts the fair-share of sibling accounts to weights of queues in other schedulers, with bounds and
// hysteresis. It is pure: no I/O, no clock.
//
// The target of a queue is
//
//	weight = base x clip(LevelFS, Min, Max)^Gain
//
// divided by the mean of its siblings, and again within [Min, Max]. The base is the account's share of its level: a scheduler
// that divides by weight then reaches an equilibrium where usage equals the shares, since there LevelFS is 1 for all.
package weights

import (
	"fmt"
	"math"
	"time"
)

// Base is the weight of an account whose LevelFS is 1.
type Base string

const (
	Shares Base = "shares" // Its share of the level: the scheduler has no other knowledge of the shares.
	Equal  Base = "equal"  // 1: the scheduler knows the shares already, such as by quotas in proportion to them.
)

// Rule are the parameters of the weights of one group of siblings.
type Rule struct {
	Base     Base
	Gain     float64       // The power of LevelFS, 0 < Gain <= 4.
	Min, Max float64       // The bounds of a weight, 0 < Min < 1 < Max; the mean of siblings is 1.
	DeadBand float64       // A group is written if a weight differs by more than this part, 0 to 1.
	Step     float64       // The largest factor of one change of a weight, more than 1.
	Interval time.Duration // The shortest time between two changes of a group.
}

// Default is the rule of a group that sets none.
var Default = Rule{Base: Shares, Gain: 1, Min: 0.1, Max: 10, DeadBand: 0.1, Step: 1.5, Interval: 10 * time.Minute}

// Check returns an error that names the first parameter out of its range.
func (r Rule) Check() error {
	within := func(name string, value, low, high float64) error {
		if value >= low && value <= high {
			return nil
		}
		return fmt.Errorf("%s: got %v, want %v to %v", name, value, low, high)
	}
	if r.Base != Shares && r.Base != Equal {
		return fmt.Errorf("base: got %q, want shares or equal", r.Base)
	}
	if r.Interval < 0 || r.Interval > 7*24*time.Hour {
		return fmt.Errorf("interval: got %v, want 0 to 168h", r.Interval)
	}
	for _, err := range []error{within("gain", r.Gain, 0.01, 4), within("min", r.Min, 1e-3, 0.999), within("max", r.Max, 1.001, 1e3),
		within("deadBand", r.DeadBand, 0, 1), within("step", r.Step, 1.01, 100)} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Sibling is an account of the level.
type Sibling struct {
	Account string
	Share   float64 // Of its level, 0 to 1.
	LevelFS float64 // Share / usage; 0 to +Inf.
}

// Targets are the weights that siblings should have. Of two siblings with one base the one with the larger LevelFS never has
// the smaller weight.
func Targets(siblings []Sibling, r Rule) []float64 {
	raw := make([]float64, len(siblings))
	for i, s := range siblings {
		raw[i] = base(s, r) * math.Pow(clip(s.LevelFS, r.Min, r.Max), r.Gain)
	}
	return bounded(raw, r)
}

func base(s Sibling, r Rule) float64 {
	if r.Base == Equal {
		return 1
	}
	return s.Share
}

// bounded are weights divided by their mean, within the bounds. All are 1 if there is no mean.
func bounded(raw []float64, r Rule) []float64 {
	mean := 0.0
	for _, value := range raw {
		mean += value / float64(len(raw))
	}
	result := make([]float64, len(raw))
	for i, value := range raw {
		result[i] = 1
		if mean > 0 && !math.IsInf(mean, 1) {
			result[i] = clip(value/mean, r.Min, r.Max)
		}
	}
	return result
}

// clip is a value within bounds; not a number is the lower one.
func clip(value, low, high float64) float64 {
	if !(value > low) {
		return low
	}
	return min(value, high)
}
