package weights

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// scales are those of the fields of real schedulers.
var scales = []Scale{
	{Kind: Linear, Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6},
	{Kind: Linear, Factor: 100, Lowest: 1, Limit: 65535},
	{Kind: Inverse, Factor: 100, Digits: 3, Lowest: 1, Limit: 1e6},
	{Kind: Logarithmic, Factor: 10, Zero: 100, Lowest: 0, Limit: 1e6},
}

func randomRule(r *rand.Rand) Rule {
	rule := Rule{Base: []Base{Shares, Equal}[r.IntN(2)], Gain: 0.1 + 2*r.Float64(), Min: 0.05 + 0.5*r.Float64(), Max: 1.5 + 20*r.Float64(),
		DeadBand: 0.3 * r.Float64(), Step: 1.15 + r.Float64(), Interval: time.Minute}
	return rule
}

func randomLevel(r *rand.Rand) []Sibling {
	level := make([]Sibling, 1+r.IntN(8))
	sum := 0.0
	for i := range level {
		level[i] = Sibling{Share: float64(r.IntN(5)), LevelFS: math.Exp(8 * (r.Float64() - 0.5))}
		sum += level[i].Share
		if r.IntN(6) == 0 {
			level[i].LevelFS = []float64{0, math.Inf(1), math.NaN()}[r.IntN(3)]
		}
	}
	for i := range level {
		level[i].Share /= max(sum, 1)
	}
	return level
}

// often runs a test with many random levels and rules that a field can have.
func often(t *testing.T, test func(r *rand.Rand, rule Rule, level []Sibling, scale Scale)) {
	t.Helper()
	ran := 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		rule, level, scale := randomRule(r), randomLevel(r), scales[r.IntN(len(scales))]
		if err := rule.Check(); err != nil {
			t.Fatal(err)
		}
		if scale.Check(rule) == nil {
			ran++
			test(r, rule, level, scale)
		}
	}
	if ran < 1000 {
		t.Errorf("got %d cases, want 1000", ran)
	}
}

func TestTargetsAreWithinTheBounds(t *testing.T) {
	often(t, func(_ *rand.Rand, rule Rule, level []Sibling, _ Scale) {
		for i, weight := range Targets(level, rule) {
			if !(weight >= rule.Min && weight <= rule.Max) {
				t.Fatalf("%+v %+v: got %v for sibling %d", rule, level, weight, i)
			}
		}
	})
}

func TestALargerLevelFSNeverGetsASmallerWeightThanASiblingOfTheSameShare(t *testing.T) {
	often(t, func(_ *rand.Rand, rule Rule, level []Sibling, scale Scale) {
		for i := range level {
			level[i].Share = 1
		}
		weights := Targets(level, rule)
		for i := range level {
			for j := range level {
				if level[i].LevelFS >= level[j].LevelFS && weights[i] < weights[j] {
					t.Fatalf("%+v: LevelFS %v gets %v, %v gets %v", rule, level[i].LevelFS, weights[i], level[j].LevelFS, weights[j])
				}
			}
		}
	})
}

func TestEqualBaseOrdersByLevelFSWhateverTheShares(t *testing.T) {
	rule := Default
	rule.Base = Equal
	weights := Targets([]Sibling{{Share: 0.9, LevelFS: 0.5}, {Share: 0.1, LevelFS: 2}}, rule)
	if want := []float64{0.4, 1.6}; !close(weights, want) {
		t.Errorf("got %v, want %v", weights, want)
	}
}

func TestTheBaseIsTheShare(t *testing.T) {
	weights := Targets([]Sibling{{Share: 0.75, LevelFS: 1}, {Share: 0.25, LevelFS: 1}}, Default)
	if want := []float64{1.5, 0.5}; !close(weights, want) {
		t.Errorf("got %v, want %v", weights, want)
	}
}

func TestALevelWithoutSharesHasEqualWeights(t *testing.T) {
	if weights := Targets([]Sibling{{LevelFS: 0}, {LevelFS: 0}}, Default); !close(weights, []float64{1, 1}) {
		t.Errorf("got %v", weights)
	}
}

func close(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}

// play writes weights to fields for constant targets until nothing is written any more; it returns the fields of each write.
func play(t *testing.T, rule Rule, scale Scale, values, targets []float64) [][]float64 {
	t.Helper()
	var history [][]float64
	now, written := start, time.Time{}
	for range 2000 {
		now = now.Add(rule.Interval)
		next, due := Next(now, written, weightsOf(scale, values), targets, rule)
		if !due {
			return history
		}
		changed := slices.Clone(values)
		for i, weight := range next {
			changed[i] = scale.Value(weight)
		}
		if slices.Equal(changed, values) {
			return history
		}
		values, written = changed, now
		history = append(history, values)
	}
	t.Fatalf("%+v %+v: it still writes %v for %v", rule, scale, values, targets)
	return nil
}

func startValues(r *rand.Rand, scale Scale, count int) []float64 {
	values := make([]float64, count)
	for i := range values {
		values[i] = scale.Value(math.Exp(4 * (r.Float64() - 0.5)))
	}
	return values
}

func TestConstantInputConvergesToTheTargetsWithoutOscillation(t *testing.T) {
	often(t, func(r *rand.Rand, rule Rule, level []Sibling, scale Scale) {
		targets := Targets(level, rule)
		values := startValues(r, scale, len(level))
		distance := span(offs(weightsOf(scale, values), targets, rule))
		for _, next := range play(t, rule, scale, values, targets) {
			now := span(offs(weightsOf(scale, next), targets, rule))
			if now > distance+2*rounding(scale, next) {
				t.Fatalf("%+v %+v: from %v to %v for %v: got a distance of %v after %v", rule, scale, values, next, targets, now, distance)
			}
			values, distance = next, now
		}
		for _, off := range offs(weightsOf(scale, values), targets, rule) {
			if most := math.Log1p(rule.DeadBand) + 2*rounding(scale, values); math.Abs(off) > most {
				t.Fatalf("%+v %+v: got %v for %v: off by %v, want %v at most", rule, scale, values, targets, off, most)
			}
		}
	})
}

// span is the longest distance between two of them: how far ratios are from their targets.
func span(offs []float64) float64 { return slices.Max(offs) - slices.Min(offs) }

func weightsOf(scale Scale, values []float64) []float64 {
	weights := make([]float64, len(values))
	for i, value := range values {
		weights[i] = scale.Weight(value)
	}
	return weights
}

// rounding is how much the logarithm of a weight changes at most by rounding its value.
func rounding(scale Scale, values []float64) float64 {
	most := 0.0
	for _, value := range values {
		half := math.Pow10(-scale.Digits) / 2
		if scale.Kind == Logarithmic {
			most = max(most, half/scale.Factor*math.Ln2)
		} else {
			most = max(most, half/value)
		}
	}
	return most
}

func TestAStepIsLimited(t *testing.T) {
	often(t, func(r *rand.Rand, rule Rule, level []Sibling, scale Scale) {
		values, targets := startValues(r, scale, len(level)), Targets(level, rule)
		for _, next := range play(t, rule, scale, values, targets) {
			before, after := offs(weightsOf(scale, values), targets, rule), offs(weightsOf(scale, next), targets, rule)
			for i := range before {
				moved, most := math.Abs(after[i]-before[i]), math.Log(rule.Step)+2*rounding(scale, next)+1e-9
				if moved > most {
					t.Fatalf("%+v: from %v to %v: got a move of %v, want %v at most", rule, values, next, moved, most)
				}
			}
			values = next
		}
	})
}

func TestWrittenWeightsAreWithinTheBounds(t *testing.T) {
	often(t, func(r *rand.Rand, rule Rule, level []Sibling, scale Scale) {
		low, high := scale.Value(rule.Min), scale.Value(rule.Max)
		for _, next := range play(t, rule, scale, startValues(r, scale, len(level)), Targets(level, rule)) {
			if slices.Min(next) < min(low, high) || slices.Max(next) > max(low, high) {
				t.Fatalf("%+v %+v: got %v, want %v to %v", rule, scale, next, low, high)
			}
		}
	})
}

func TestNothingIsWrittenWithinTheDeadBandOrTheInterval(t *testing.T) {
	for _, c := range []struct {
		name     string
		has      []float64
		since    time.Duration
		want     bool
		interval time.Duration
	}{
		{"equal", []float64{1, 1}, time.Hour, false, time.Minute},
		{"9 % off", []float64{1.09, 1 / 1.09}, time.Hour, false, time.Minute},
		{"11 % off", []float64{1.15, 0.85}, time.Hour, true, time.Minute},
		{"too early", []float64{3, 1. / 3}, 59 * time.Second, false, time.Minute},
		{"in time", []float64{3, 1. / 3}, time.Minute, true, time.Minute},
		{"in other units", []float64{100, 100}, time.Hour, false, time.Minute},
	} {
		rule := Default
		rule.Interval = c.interval
		if _, due := Next(start.Add(c.since), start, c.has, []float64{1, 1}, rule); due != c.want {
			t.Errorf("%s: got %v, want %v", c.name, due, c.want)
		}
	}
	if _, due := Next(start, time.Time{}, []float64{3, 1}, []float64{1, 1}, Default); !due {
		t.Error("a group that was never written waits")
	}
}

func TestAPriorityThatMeansAnInfiniteWeightIsTheLargest(t *testing.T) {
	scale := Scale{Kind: Logarithmic, Factor: 10, Zero: 100, Limit: 1e6}
	has := weightsOf(scale, []float64{20_000, 100})
	if !math.IsInf(has[0], 1) {
		t.Fatalf("got %v, want a weight of infinity", has)
	}
	next, due := Next(start, time.Time{}, has, []float64{1, 1}, Default)
	if !due || next[0] <= next[1] {
		t.Errorf("got %v, want the first one still larger after a step", next)
	}
}

func TestAllSiblingsMoveTheSamePart(t *testing.T) {
	rule := Default
	rule.Step = 2
	next, due := Next(start, time.Time{}, []float64{1, 1, 1}, []float64{1.5, 1.25, 0.25}, rule)
	// The geometric mean of the targets is the third root of 15/32; the third is its longest move.
	part := math.Ln2 / math.Log(math.Cbrt(15./32)/0.25)
	want := math.Pow(1.5/1.25, part)
	if got := next[0] / next[1]; !due || math.Abs(got-want) > 1e-9 {
		t.Errorf("got a ratio of %v, want %v", got, want)
	}
	want = math.Pow(1.25/0.25, part)
	if got := next[1] / next[2]; math.Abs(got-want) > 1e-9 {
		t.Errorf("got a ratio of %v, want %v", got, want)
	}
}

func TestValuesConvertBack(t *testing.T) {
	for _, scale := range scales {
		for _, weight := range []float64{0.1, 0.5, 1, 2, 9} {
			value := scale.Value(weight)
			if off := math.Abs(math.Log(scale.Weight(value) / weight)); off > rounding(scale, []float64{value})+1e-9 {
				t.Errorf("%+v: %v becomes %v, that is %v", scale, weight, value, scale.Weight(value))
			}
		}
	}
	for i, want := range []float64{2, 200, 50, 110} {
		if got := scales[i].Value(2); got != want {
			t.Errorf("%+v: got %v, want %v", scales[i], got, want)
		}
	}
}

func TestAScaleThatIsTooCoarseIsRefused(t *testing.T) {
	for want, scale := range map[string]Scale{
		"a step of 1.5":         {Kind: Linear, Factor: 10, Lowest: 1, Limit: 100},
		"are values from 1 to":  {Kind: Linear, Factor: 1000, Lowest: 1, Limit: 5000},
		"step of 1.5 from":      {Kind: Logarithmic, Factor: 1, Lowest: -10, Limit: 10},
		"values from 1 to 1000": {Kind: Inverse, Factor: 1, Digits: 3, Lowest: 1, Limit: 1000},
	} {
		if err := scale.Check(Default); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", scale, err, want)
		}
	}
}

func TestAParameterOutOfItsRangeIsNamed(t *testing.T) {
	for name, change := range map[string]func(*Rule){
		"base": func(r *Rule) { r.Base = "usage" }, "gain": func(r *Rule) { r.Gain = 0 }, "min": func(r *Rule) { r.Min = 1 },
		"max": func(r *Rule) { r.Max = 1 }, "deadBand": func(r *Rule) { r.DeadBand = -1 }, "step": func(r *Rule) { r.Step = 1 },
		"interval": func(r *Rule) { r.Interval = -1 }, "gain: got NaN": func(r *Rule) { r.Gain = math.NaN() },
	} {
		rule := Default
		change(&rule)
		if err := rule.Check(); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := Default.Check(); err != nil {
		t.Error(err)
	}
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	r := Record{Former: map[string]any{"spec.fairSharing": nil}, Written: start}
	got, err := ReadRecord(r.Encode(), []string{"spec.fairSharing.weight"}, 0, start)
	if value, ok := got.Former["spec.fairSharing"]; err != nil || !ok || value != nil || !got.Written.Equal(start) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAnImplausibleRecordIsRefused(t *testing.T) {
	written := `"written":"2026-11-27T12:00:00Z"`
	for text, want := range map[string]string{
		"":                                "record",
		"{":                               "record",
		"[]":                              "record",
		`{"former":{"spec.w":1}}`:         "written",
		`{"former":{"spec.w":1},"x":1}`:   "unknown field",
		`{"former":{},` + written + `}`:   "former",
		`{"former":null,` + written + `}`: "former",
		`{"former":{"spec.v":1},` + written + `}`:                                   `"spec.v"`,
		`{"former":{"spec":null},` + written + `}`:                                  `path "spec"`,
		`{"former":{"spec.w":-1},` + written + `}`:                                  "-1",
		`{"former":{"spec.w":"-1"},` + written + `}`:                                "-1",
		`{"former":{"spec.w":"x"},` + written + `}`:                                 "x",
		`{"former":{"spec.w":"1e-3000000"},` + written + `}`:                        "1e-3000000", // A longer exponent takes minutes.
		`{"former":{"spec.w":[1]},` + written + `}`:                                 "1",
		`{"former":{"spec.w":{"b":1}},` + written + `}`:                             "b",
		`{"former":{"spec.w":1},` + written + `} {}`:                                "one JSON value",
		`{"former":{"spec.w":1},"written":"2026-11-27T12:00:01Z"}`:                  "passed",
		`{"former":{"spec.w":"` + strings.Repeat("1", 5000) + `"},` + written + `}`: "bytes",
	} {
		if _, err := ReadRecord(text, []string{"spec.w"}, 0, start); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: got %v, want %s", text, err, want)
		}
	}
}
