// Package boost turns a start order into priorities that Kueue orders by, with few changes of them.
//
// A priority written is an API call, and moves the Workload in Kueue's queue. So the priorities of those
// that stand in order already stay, and what is new gets a number between its neighbours': a Workload
// that is admitted, or leaves, changes nobody's. The first of the order have numbers of their own, those
// behind share one in bands, the rest have none: Kueue moves inadmissible Workloads of one shape and
// priority together, which a number for each would defeat.
package boost

// Bounds of the priorities that Plan gives. What runs has Running, so that nothing that waits
// preempts it.
const (
	Lowest  int32 = 1
	Highest int32 = 1<<30 - 1
	Running int32 = 1 << 30

	middle int32 = 1 << 29
	step   int32 = 1 << 12
)

// Shape is how finely the order is told.
type Shape struct {
	Head     int // So many have priorities of their own.
	BandSize int // Of those behind, so many share one, and up to twice as many before they are parted.
}

// DefaultShape suits 500 ranked: 64 of their own and 16 bands.
var DefaultShape = Shape{Head: 64, BandSize: 28}

// Plan gives a priority to each of an order, whose priorities now are given, 0 for none. They do not
// rise, and fall strictly among the first Head and behind each of them.
func Plan(now []int32, shape Shape) []int32 {
	p := &plan{shape: shape, now: now, next: make([]int32, len(now))}
	p.keep(longestOrdered(now, shape.Head))
	p.fillBands()
	p.partBands()
	if p.tooManyBands() || !p.fill() {
		p.relabel()
	}
	return p.next
}

type plan struct {
	shape Shape
	now   []int32
	next  []int32 // 0 = not given yet
}

func (p *plan) keep(kept []int) {
	for _, i := range kept {
		p.next[i] = p.now[i]
	}
}

// fillBands puts whoever stands between two of a band into it.
func (p *plan) fillBands() {
	last := -1
	for i := p.shape.Head; i < len(p.next); i++ {
		if p.next[i] == 0 {
			continue
		}
		if last >= 0 && p.next[last] == p.next[i] {
			for k := last + 1; k < i; k++ {
				p.next[k] = p.next[i]
			}
		}
		last = i
	}
}

// partBands takes the priority from the later ones of a band that has become too large.
func (p *plan) partBands() {
	for begin := p.shape.Head; begin < len(p.next); {
		end := begin + 1
		for end < len(p.next) && p.next[end] == p.next[begin] {
			end++
		}
		if p.next[begin] != 0 && end-begin > 2*p.shape.BandSize {
			clear(p.next[begin+p.shape.BandSize : end])
		}
		begin = end
	}
}

func (p *plan) tooManyBands() bool {
	bands, last := 0, int32(0)
	for i := p.shape.Head; i < len(p.next); i++ {
		if p.next[i] != 0 && p.next[i] != last {
			bands, last = bands+1, p.next[i]
		}
	}
	most := 2 * (len(p.next)/max(p.shape.BandSize, 1) + 1)
	return bands > most
}

// fill gives the rest priorities between those that are kept; false = there is no room between two.
func (p *plan) fill() bool {
	for begin := 0; begin < len(p.next); {
		if p.next[begin] != 0 {
			begin++
			continue
		}
		end := begin
		for end < len(p.next) && p.next[end] == 0 {
			end++
		}
		if !p.fillGap(begin, end) {
			return false
		}
		begin = end
	}
	return true
}

// fillGap gives [begin, end) priorities below that before and above that after it. They lie close to that
// before: the room behind is for those of a band who come to the head one by one.
func (p *plan) fillGap(begin, end int) bool {
	begin = p.join(begin, end)
	if begin == end {
		return true
	}
	above, below := p.edges(begin, end)
	spacing := min(int64(step), (above-below)/int64(end-begin+1))
	if spacing < 1 {
		return false
	}
	for last := end - 1; last >= begin; {
		first := p.groupBegin(begin, last)
		for i := first; i <= last; i++ {
			p.next[i] = int32(above - spacing*int64(last-begin+1))
		}
		last = first - 1
	}
	return true
}

// groupBegin is the first in a gap that shares its priority with the one at last, the last of its group.
func (p *plan) groupBegin(begin, last int) int {
	if last <= p.shape.Head {
		return last
	}
	first := max(begin, p.shape.Head)
	return last - (last-first)%p.shape.BandSize
}

// join puts the first of a gap into the band before it while that has room; the first left.
func (p *plan) join(begin, end int) int {
	if begin <= p.shape.Head {
		return begin
	}
	size := 0
	for i := begin - 1; i >= p.shape.Head && p.next[i] == p.next[begin-1]; i-- {
		size++
	}
	for begin < end && size < p.shape.BandSize {
		p.next[begin] = p.next[begin-1]
		begin, size = begin+1, size+1
	}
	return begin
}

// edges are the priorities that those of a gap lie strictly between.
func (p *plan) edges(begin, end int) (above, below int64) {
	span := int64(step) * int64(end-begin+1)
	hasAbove, hasBelow := begin > 0, end < len(p.next)
	switch {
	case hasAbove && hasBelow:
		return int64(p.next[begin-1]), int64(p.next[end])
	case hasAbove:
		above = int64(p.next[begin-1])
		return above, max(above-span, int64(Lowest)-1)
	case hasBelow:
		below = int64(p.next[end])
		return min(below+span, int64(Highest)+1), below
	default:
		return int64(middle), int64(middle) - span
	}
}

// relabel gives all of them new priorities.
func (p *plan) relabel() {
	clear(p.next)
	p.fillGap(0, len(p.next))
}
