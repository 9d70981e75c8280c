package boost

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var small = Shape{Head: 4, BandSize: 3}

// inOrder checks the contract of Plan without its arithmetic.
func inOrder(values []int32, shape Shape) bool {
	for i := 1; i < len(values); i++ {
		before, after := values[i-1], values[i]
		if after < Lowest || before > Highest || after > before || i <= shape.Head && after == before {
			return false
		}
	}
	return true
}

func changes(before, after []int32) int {
	count := 0
	for i := range before {
		if before[i] != after[i] {
			count++
		}
	}
	return count
}

func TestFirstOfTheOrderHaveTheirOwnAndTheRestShare(t *testing.T) {
	values := Plan(make([]int32, 12), small)
	if !inOrder(values, small) {
		t.Fatalf("got %v, want them to fall", values)
	}
	if distinct := len(slices.Compact(slices.Clone(values))); distinct != 7 {
		t.Errorf("got %d different ones of %v, want 4 and 3 bands", distinct, values)
	}
}

func TestWhoIsAdmittedChangesNobody(t *testing.T) {
	values := Plan(make([]int32, 40), small)
	for len(values) > 6 {
		rest := values[1:]
		planned := Plan(rest, small)
		if !inOrder(planned, small) {
			t.Fatalf("got %v, want them to fall", planned)
		}
		// A Workload that reaches the head may share its priority with the next.
		if got := changes(rest, planned); got > 1 {
			t.Fatalf("got %d changes from %v to %v, want 1 at most", got, rest, planned)
		}
		values = planned
	}
}

func TestWhoComesGetsANumberBetween(t *testing.T) {
	values := Plan(make([]int32, 4), small)
	for _, at := range []int{0, 2, 4} {
		with := slices.Insert(slices.Clone(values), at, 0)
		planned := Plan(with, small)
		if got := changes(with, planned); got != 1 || !inOrder(planned, small) {
			t.Errorf("at %d: got %v of %v, want one change", at, planned, with)
		}
	}
}

func TestWhoMovesUpAloneChanges(t *testing.T) {
	values := Plan(make([]int32, 4), Shape{Head: 8, BandSize: 3})
	moved := []int32{values[3], values[0], values[1], values[2]}
	planned := Plan(moved, Shape{Head: 8, BandSize: 3})
	if !slices.Equal(planned[1:], moved[1:]) || planned[0] <= planned[1] {
		t.Errorf("got %v of %v, want only the first changed", planned, moved)
	}
}

func TestNumbersOfOthersAreReplaced(t *testing.T) {
	planned := Plan([]int32{-7, Running, 5, 5, 1 << 30, 5}, small)
	if !inOrder(planned, small) {
		t.Errorf("got %v, want them to fall", planned)
	}
}

func TestWhereThereIsNoRoomAllChange(t *testing.T) {
	planned := Plan([]int32{3, 0, 2}, small)
	if !inOrder(planned, small) {
		t.Errorf("got %v, want them to fall", planned)
	}
	planned = Plan([]int32{0, Highest, 0, 1, 0}, small)
	if !inOrder(planned, small) {
		t.Errorf("got %v, want them to fall", planned)
	}
}

// A queue of a day: ten thousand admissions, arrivals and moves.
func TestOrderHoldsAndChangesStayFew(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shape, written, turns := DefaultShape, 0, 10_000
	values := Plan(make([]int32, 500), shape)
	for turn := range turns {
		switch turn % 4 {
		case 0, 1:
			values = append(values[1:], 0)
		case 2:
			at := random.IntN(len(values))
			values = slices.Insert(slices.Delete(values, len(values)-1, len(values)), at, 0)
		case 3:
			from, to := random.IntN(len(values)), random.IntN(len(values))
			moved := values[from]
			values = slices.Insert(slices.Delete(values, from, from+1), to, moved)
		}
		planned := Plan(values, shape)
		if !inOrder(planned, shape) {
			t.Fatalf("turn %d: got %v, want them to fall", turn, planned)
		}
		written += changes(values, planned)
		values = planned
	}
	distinct := len(slices.Compact(slices.Clone(values)))
	t.Logf("%d changes in %d turns, %d different numbers at the end", written, turns, distinct)
	if written > 4*turns || distinct > 64+2*18 {
		t.Errorf("got %d changes in %d turns and %d different numbers, want 4 a turn and 100 at most", written, turns, distinct)
	}
}

func TestPlanOfPlanIsItself(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		now := make([]int32, random.IntN(60))
		for i := range now {
			now[i] = random.Int32N(200) * random.Int32N(2)
		}
		once := Plan(now, small)
		if twice := Plan(once, small); !slices.Equal(once, twice) || !inOrder(once, small) {
			t.Fatalf("%v: got %v, then %v", now, once, twice)
		}
	}
}
