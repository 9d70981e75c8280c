package boost

import (
	"cmp"
	"slices"
	"sort"
)

// place is a priority and the tie-breaker of equal ones: a sequence whose places fall may stay.
type place struct {
	value int32
	tie   int
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.tie, b.tie))
}

// placeOf lets equal priorities fall among the bands only.
func placeOf(i int, value int32, head, count int) place {
	if i < head {
		return place{value, i}
	}
	return place{value, 2*count - i}
}

// longestOrdered are the indices of the longest subsequence of given priorities that is in order.
func longestOrdered(now []int32, head int) []int {
	var ends []int // The last index of the best sequence of each length.
	before := make([]int, len(now))
	at := func(i int) place { return placeOf(i, now[i], head, len(now)) }
	for i, value := range now {
		if value < Lowest || value > Highest {
			continue
		}
		length := sort.Search(len(ends), func(k int) bool { return at(ends[k]).compare(at(i)) <= 0 })
		before[i] = -1
		if length > 0 {
			before[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, i)
		} else {
			ends[length] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var kept []int
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		kept = append(kept, i)
	}
	slices.Reverse(kept)
	return kept
}
