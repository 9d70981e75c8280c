// Package boost converts a start order to priorities that Kueue orders by, with few changes of them.
//
// Each write of a priority is an API call, and moves the Workload in Kueue's queue. So Workloads that are
// already in order keep their priorities, and a new one gets a number between those of its neighbours:
// the admission or deletion of a Workload changes no other priority. The first Workloads of the order have
// distinct priorities, the next ones share one in bands, and the rest have none: Kueue moves inadmissible
// Workloads of one shape and priority together, which distinct priorities would prevent.
package boost

// Bounds of the priorities that Plan gives. Running work has Running, so that no waiting work preempts it.
const (
	Lowest  int32 = 1
	Highest int32 = 1<<30 - 1
	Running int32 = 1 << 30

	middle int32 = 1 << 29
	step   int32 = 1 << 12
)

// Shape is the resolution of the order in priorities.
type Shape struct {
	Head     int // The number of distinct priorities at the head.
	BandSize int // The Workloads of a band; a band is split at twice as many.
}

// DefaultShape suits 500 ranked Workloads: 64 distinct priorities and 16 bands.
var DefaultShape = Shape{Head: 64, BandSize: 28}

// Plan gives a priority to each Workload of an order, from their present priorities, 0 = none. The result
// never rises, and falls strictly among the first Head and after each of them.
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

// fillBands adds a Workload between two members of a band to the band.
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

// partBands removes the priority from the later members of a band that has become too large.
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

// fill gives the rest priorities between the kept ones; false = two neighbours have no number between them.
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

// fillGap gives [begin, end) priorities between those of its neighbours, close to the one before: the
// numbers below are for members of a band that reach the head one by one.
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

// groupBegin is the first index in a gap that shares its priority with index last, the last of its group.
func (p *plan) groupBegin(begin, last int) int {
	if last <= p.shape.Head {
		return last
	}
	first := max(begin, p.shape.Head)
	return last - (last-first)%p.shape.BandSize
}

// join adds the first Workloads of a gap to the band before it while it has room; returns the first one left.
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

// edges are the exclusive bounds of the priorities of a gap.
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

// relabel gives every Workload a new priority.
func (p *plan) relabel() {
	clear(p.next)
	p.fillGap(0, len(p.next))
}
