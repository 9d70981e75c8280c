// Package release decides which waiting Jobs and Pods to release: in order, as the nodes have room, and later ones
// earlier only if that delays none (backfill). It uses no API and no clock.
package release

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	schedulinghelp "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Amounts are counts of resources: thousandths of a CPU, bytes, Pods, devices.
type Amounts map[corev1.ResourceName]int64

// mostAmount is the largest amount, more than a node has: the sum of two thousand is still a number of 64 bits.
const mostAmount = 1 << 52

// Of are the amounts of a list of resources. A request may be of more than 64 bits: it counts as mostAmount.
func Of(list corev1.ResourceList) Amounts {
	amounts := Amounts{}
	for name, quantity := range list {
		amounts[name] = amountOf(name, &quantity)
	}
	return amounts
}

func amountOf(name corev1.ResourceName, quantity *resource.Quantity) int64 {
	unit := 1.0
	if name == corev1.ResourceCPU {
		unit = 1000
	}
	switch about := quantity.AsApproximateFloat64() * unit; {
	case about >= mostAmount:
		return mostAmount
	case name == corev1.ResourceCPU:
		return quantity.MilliValue()
	default:
		return quantity.Value()
	}
}

// OfPod are the amounts of a Pod with these requests, and the Pod itself.
func OfPod(requests corev1.ResourceList) Amounts {
	amounts := Of(requests)
	amounts[corev1.ResourcePods] = 1
	return amounts
}

func (a Amounts) add(other Amounts, count int64) {
	for name, amount := range other {
		a[name] += amount * count
	}
}

// holds is how many of something fit.
func (a Amounts) holds(each Amounts) int64 {
	most := int64(math.MaxInt32)
	for name, amount := range each {
		if amount > 0 {
			most = min(most, max(a[name], 0)/amount)
		}
	}
	return most
}

// String is a readable form: `cpu 2.5, nvidia.com/gpu 1`.
func (a Amounts) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		switch amount := a[name]; {
		case amount == 0 || name == corev1.ResourcePods:
		case name == corev1.ResourceCPU:
			parts = append(parts, fmt.Sprintf("cpu %g", float64(amount)/1000))
		case name == corev1.ResourceMemory:
			parts = append(parts, fmt.Sprintf("memory %.4g Mi", float64(amount)/(1<<20)))
		default:
			parts = append(parts, fmt.Sprintf("%s %d", name, amount))
		}
	}
	return strings.Join(parts, ", ")
}

// room is the free amounts of each node, in the order of the nodes.
type room []Amounts

func (r room) clone() room {
	copied := make(room, len(r))
	for i := range r {
		copied[i] = maps.Clone(r[i])
	}
	return copied
}

// spot is a number of Pods on a node.
type spot struct {
	node  int
	count int64
}

// spread are the spots of at most so many equal requests that fit into each of some rooms, and their number.
func spread(nodes []int, each Amounts, most int64, rooms ...room) ([]spot, int64) {
	spots, count := []spot{}, int64(0)
	for _, i := range nodes {
		if count >= most {
			break
		}
		here := most - count
		for _, r := range rooms {
			here = min(here, r[i].holds(each))
		}
		if here > 0 {
			spots = append(spots, spot{i, here})
			count += here
		}
	}
	return spots, count
}

// take takes the request of each spot so many times; -1 returns it.
func (r room) take(spots []spot, each Amounts, times int64) {
	for _, s := range spots {
		r[s.node].add(each, -s.count*times)
	}
}

// matcher selects the nodes of a Pod by its selector, its required affinity and its tolerations.
type matcher struct {
	nodes []*corev1.Node
	known map[string][]int
}

// of are the indices of the nodes.
func (m *matcher) of(spec *corev1.PodSpec) []int {
	text, err := json.Marshal(spec)
	if found, ok := m.known[string(text)]; ok && err == nil {
		return found
	}
	affinity := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *spec})
	var found []int
	for i, node := range m.nodes {
		if fits, err := affinity.Match(node); err == nil && fits && isUsable(node, spec.Tolerations) {
			found = append(found, i)
		}
	}
	m.known[string(text)] = found
	return found
}

// isUsable reports whether a node accepts new Pods with these tolerations.
func isUsable(node *corev1.Node, tolerations []corev1.Toleration) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return false
		}
	}
	taints := node.Spec.Taints
	if node.Spec.Unschedulable {
		taints = append(slices.Clone(taints), corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	_, repelled := schedulinghelp.FindMatchingUntoleratedTaint(klog.Background(), taints, tolerations, func(taint *corev1.Taint) bool {
		return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
	}, false)
	return !repelled
}
