package release

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Shape is a number of equal Pods of an Ask.
type Shape struct {
	Pods int64
	Each Amounts // The request of one Pod, and the Pod itself.
	Spec *corev1.PodSpec
}

// shapes are all shapes of an ask.
func (a *Ask) shapes() []Shape {
	return append([]Shape{{a.Pods, a.Each, a.Spec}}, a.More...)
}

// describe is a readable form: `3 x (cpu 1) and 1 x (cpu 4)`.
func describe(a *Ask) string {
	var parts []string
	for _, s := range a.shapes() {
		parts = append(parts, fmt.Sprintf("%d x (%s)", s.Pods, s.Each))
	}
	return strings.Join(parts, " and ")
}

// sited is a shape with the indices of the nodes that it can use.
type sited struct {
	Shape
	nodes []int
}

// siting is the shapes of an ask with their nodes; nil = one has none.
func (p *Plan) siting(a *Ask) []sited {
	var all []sited
	for _, s := range a.shapes() {
		nodes := p.matcher.of(s.Spec)
		if len(nodes) == 0 {
			return nil
		}
		all = append(all, sited{s, nodes})
	}
	return all
}

// placed is a shape with the spots of its Pods.
type placed struct {
	each  Amounts
	spots []spot
}

// placeAll places all shapes together into each of some rooms, one shape after the other; nil = not all fit. Then fit
// is the number of Pods that do. The placement is exact for one shape; for several it may miss one that exists.
func placeAll(shapes []sited, rooms ...room) (all []placed, fit int64) {
	if len(shapes) > 1 {
		for i := range rooms {
			rooms[i] = rooms[i].clone()
		}
	}
	complete := true
	for _, s := range shapes {
		spots, count := spread(s.nodes, s.Each, s.Pods, rooms...)
		fit += count
		complete = complete && count == s.Pods
		all = append(all, placed{s.Each, spots})
		if len(shapes) > 1 {
			for _, r := range rooms {
				r.take(spots, s.Each, 1)
			}
		}
	}
	if !complete {
		return nil, fit
	}
	return all, fit
}

// takeAll takes the requests of placed shapes so many times; -1 returns them.
func (r room) takeAll(all []placed, times int64) {
	for _, p := range all {
		r.take(p.spots, p.each, times)
	}
}
