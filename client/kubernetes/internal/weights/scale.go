package weights

import (
	"fmt"
	"math"
)

// Kind is how the value of a field follows from a weight.
type Kind int

const (
	Linear      Kind = iota // Factor x weight.
	Inverse                 // Factor / weight: a scheduler with a cost instead of a weight.
	Logarithmic             // Zero + Factor x log2(weight): a priority; twice the weight adds Factor.
)

// Scale converts weights to the values of a field and back.
type Scale struct {
	Kind          Kind
	Factor        float64
	Zero          float64 // Logarithmic: the value of weight 1.
	Digits        int     // After the decimal point, 0 to 6; 0 = whole numbers.
	Lowest, Limit float64 // The values that the field may have.
}

// Value is the value of the field that is nearest to a weight.
func (s Scale) Value(weight float64) float64 {
	value := 0.0
	switch s.Kind {
	case Linear:
		value = s.Factor * weight
	case Inverse:
		value = s.Factor / weight
	case Logarithmic:
		value = s.Zero + s.Factor*math.Log2(weight)
	}
	unit := math.Pow10(s.Digits)
	return clip(math.Round(value*unit)/unit, s.Lowest, s.Limit)
}

// Weight is the weight that a value of the field means.
func (s Scale) Weight(value float64) float64 {
	switch s.Kind {
	case Inverse:
		return s.Factor / value
	case Logarithmic:
		return math.Exp2((value - s.Zero) / s.Factor)
	}
	return value / s.Factor
}

// Check returns an error if the field cannot have the weights of a rule, or if a step of the rule can be less than the
// distance of two of its values: then a weight might never reach its target.
func (s Scale) Check(r Rule) error {
	for _, weight := range []float64{r.Min, r.Max} {
		unit := math.Pow10(-s.Digits)
		exact := []float64{s.Factor * weight, s.Factor / weight, s.Zero + s.Factor*math.Log2(weight)}[s.Kind]
		if exact < s.Lowest-unit/2 || exact > s.Limit+unit/2 {
			return fmt.Errorf("scale: got %v, want one with which the weights %v to %v are values from %v to %v", s.Factor, r.Min, r.Max, s.Lowest, s.Limit)
		}
		moved := []float64{exact * (r.Step - 1), exact * (1 - 1/r.Step), s.Factor * math.Log2(r.Step)}[s.Kind]
		if moved < unit {
			return fmt.Errorf("scale: got %v, want one with which a step of %v from weight %v changes the value by %v or more, not %.3g", s.Factor, r.Step, weight, unit, moved)
		}
	}
	return nil
}
