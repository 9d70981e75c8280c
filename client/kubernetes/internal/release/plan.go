package release

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Held is the resources that a Pod holds on its node.
type Held struct {
	Node  string
	Takes Amounts
	End   time.Time // The latest end; zero = unknown, or the Pod is not ours.
}

// Ask is a request for release, or released work whose Pods are not scheduled yet.
type Ask struct {
	Name  string // For people.
	Pods  int64
	Each  Amounts // The request of one Pod, and the Pod itself.
	Spec  *corev1.PodSpec
	More  []Shape       // The Pods of other shapes that start with them, of a gang.
	Limit time.Duration // Its time limit; 0 = none.
	Ours  bool          // False: another scheduler places it; it gets any free room, and no room is kept for it.
}

// Decision is the outcome of an Ask.
type Decision struct {
	Start      bool // Its Pods have room now.
	Backfilled bool // It overtakes an Ask that room is kept for.
	Never      bool // It has no room at any time, as far as the ends of Pods are known.
	Why        string
}

// ending is the room that becomes free at a time.
type ending struct {
	at time.Time
	placed
}

// Plan decides on asks in order. An ask with room starts. For the first one without room, room is kept where it will
// be free first, by the known ends of Pods; later asks start if they end before that or do not use that room
// (backfill). The scheduler chooses each Pod's node: a plan only ensures that there is room for all.
type Plan struct {
	now     time.Time
	matcher matcher
	free    room // Now,
	idle    room // The free room after every known end.
	endings []ending

	kept   *Ask // The ask that room is kept for; nil = none.
	keptAt time.Time
	then   room // The room that is free at that time beside the kept one.
}

// New plans for a time, with the nodes and the resources held on them.
func New(now time.Time, nodes []*corev1.Node, held []Held) *Plan {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	p := &Plan{now: now, matcher: matcher{nodes, map[string][]int{}}}
	places := map[string]int{}
	for i, node := range nodes {
		places[node.Name] = i
		p.free = append(p.free, Of(node.Status.Allocatable))
	}
	p.idle = p.free.clone()
	for _, h := range held {
		if i, ok := places[h.Node]; ok {
			p.hold(i, h)
		}
	}
	return p
}

func (p *Plan) hold(node int, h Held) {
	spots := []spot{{node, 1}}
	p.free.take(spots, h.Takes, 1)
	if h.End.IsZero() {
		p.idle.take(spots, h.Takes, 1)
		return
	}
	p.endings = append(p.endings, ending{h.End, placed{h.Takes, spots}})
}

// Decide decides on the next ask.
func (p *Plan) Decide(a *Ask) Decision {
	shapes := p.siting(a)
	switch all, _ := placeAll(shapes, p.idle); {
	case shapes == nil:
		return Decision{Never: true, Why: "no node that takes Pods fits its selector, affinity and tolerations"}
	case all == nil:
		return Decision{Never: true, Why: fmt.Sprintf("the nodes it can use have no room for %s, even when what is queued has ended", describe(a))}
	case p.kept == nil:
		return p.decideFirst(a, shapes)
	default:
		return p.decideBehind(a, shapes)
	}
}

func (p *Plan) decideFirst(a *Ask, shapes []sited) Decision {
	all, fit := placeAll(shapes, p.free)
	if all != nil {
		p.start(a, all)
		return Decision{Start: true}
	}
	if !a.Ours {
		return Decision{Why: "it waits for room"}
	}
	p.keep(a, shapes)
	return Decision{Why: fmt.Sprintf("it waits for room for %s, of which %d fit now; at %s at the latest all do", describe(a), fit, clock(p.keptAt))}
}

// decideBehind starts an ask that does not delay the one that room is kept for.
func (p *Plan) decideBehind(a *Ask, shapes []sited) Decision {
	now, fit := placeAll(shapes, p.free)
	if a.Limit > 0 && !p.now.Add(a.Limit).After(p.keptAt) {
		if now != nil {
			p.start(a, now)
			return Decision{Start: true, Backfilled: true}
		}
	} else if all, _ := placeAll(shapes, p.free, p.then); all != nil {
		p.start(a, all)
		p.then.takeAll(all, 1)
		return Decision{Start: true, Backfilled: true}
	}
	if now == nil {
		return Decision{Why: fmt.Sprintf("it waits for room for %s, of which %d fit now", describe(a), fit)}
	}
	return Decision{Why: fmt.Sprintf("room is kept for %s, which is before it and starts at %s at the latest", p.kept.Name, clock(p.keptAt))}
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02T15:04Z") }

func (p *Plan) start(a *Ask, all []placed) {
	p.free.takeAll(all, 1)
	if a.Limit <= 0 {
		p.idle.takeAll(all, 1)
		return
	}
	for _, s := range all {
		p.endings = append(p.endings, ending{p.now.Add(a.Limit), s})
	}
}

// keep keeps room for an ask from the first time at which all its Pods have room. REQUIRES: such a time exists,
// which Decide checks.
func (p *Plan) keep(a *Ask, shapes []sited) {
	slices.SortStableFunc(p.endings, func(x, y ending) int { return x.at.Compare(y.at) })
	last := sort.Search(len(p.endings), func(count int) bool {
		all, _ := placeAll(shapes, p.after(count+1))
		return all != nil
	})
	p.kept, p.keptAt = a, p.endings[min(last, len(p.endings)-1)].at
	for last+1 < len(p.endings) && !p.endings[last+1].at.After(p.keptAt) {
		last++
	}
	p.then = p.after(last + 1)
	all, _ := placeAll(shapes, p.then)
	p.then.takeAll(all, 1)
}

// after is the free room after so many ends.
func (p *Plan) after(count int) room {
	free := p.free.clone()
	for _, e := range p.endings[:min(count, len(p.endings))] {
		free.take(e.spots, e.each, -1)
	}
	return free
}
