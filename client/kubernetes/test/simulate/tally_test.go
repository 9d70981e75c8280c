package main

import "testing"

// Of four waiting as a, b, c, d, first b is admitted and then d: c and d are after b, a was before both, c before d.
func TestPairsAreAnAdmittedAndAWaitingWorkload(t *testing.T) {
	count := tally{}
	before := map[string]int{"a": 0, "b": 1, "c": 2, "d": 3}
	count.count([]string{"b", "d", "new"}, before, map[string]seen{"a": {1, 1}, "b": {9, 1}, "c": {4, 1}, "d": {3, 1}})
	if count.concordant != 2 || count.late != 2 || count.discordant != 1 || count.disturbed != 0 {
		t.Errorf("got %+v, want b before c and d in order; a behind b and d as the boosts said; c behind d for another reason", count)
	}
	if count.admitted != 3 || count.unranked != 1 || count.cycles != 1 {
		t.Errorf("got %+v, want three admitted, one of them new, in one cycle", count)
	}
}

func TestOnlyTheCyclesAfterAKillAreDisturbed(t *testing.T) {
	count := tally{afterKill: 2}
	before, lifted := map[string]int{"a": 0, "b": 1}, map[string]seen{"a": {2, 1}, "b": {1, 1}}
	for range 3 {
		count.count([]string{"b"}, before, lifted)
	}
	if count.disturbed != 1 || count.discordant != 2 {
		t.Errorf("got %+v, want one disturbed: a cycle of the two has passed when the first is counted", count)
	}
}

func TestOneThatNeedsLessIsPassedForwardWhereTheOtherDoesNotFit(t *testing.T) {
	count := tally{}
	count.count([]string{"b"}, map[string]int{"a": 0, "b": 1}, map[string]seen{"a": {2, 4}, "b": {1, 3}})
	if count.smaller != 1 || count.disagree() != 1 {
		t.Errorf("got %+v, want one of less CPUs", count)
	}
}

func TestTauIsOneWhereAllAreInOrderAndMinusOneWhereNoneIs(t *testing.T) {
	if got := (&tally{concordant: 7}).tau(); got != 1 {
		t.Errorf("got %v, want 1", got)
	}
	if got := (&tally{late: 2, discordant: 1}).tau(); got != -1 {
		t.Errorf("got %v, want -1", got)
	}
	if got := (&tally{concordant: 3, late: 1}).tau(); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
}

// Half of the sum of differences: two tenants with equal shares, one of which has used three quarters, have the distance 1/4.
func TestTheDistanceFromSharesIsHalfOfWhatTheDifferencesSumTo(t *testing.T) {
	got := distance(map[string]float64{"a": 30, "b": 10}, map[string]float64{"a": 2, "b": 2})
	if got != 0.25 {
		t.Errorf("got %v, want 0.25", got)
	}
	if got := distance(map[string]float64{"a": 3, "b": 1}, map[string]float64{"a": 300, "b": 100}); got != 0 {
		t.Errorf("got %v, want 0", got)
	}
}
