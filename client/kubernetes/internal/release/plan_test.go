package release

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Unix(1_000_000, 0)

func node(name string, cpus int64) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI), corev1.ResourcePods: resource.MustParse("110")}}}
}

func cpus(count int64) Amounts {
	return OfPod(corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(count, resource.DecimalSI)})
}

// ask requests so many Pods of so many CPUs, for so many minutes.
func ask(name string, pods, each int64, minutes int) Ask {
	return Ask{Name: name, Pods: pods, Each: cpus(each), Spec: &corev1.PodSpec{}, Limit: time.Duration(minutes) * time.Minute, Ours: true}
}

func until(minutes int, node string, count int64) Held {
	return Held{Node: node, Takes: cpus(count), End: now.Add(time.Duration(minutes) * time.Minute)}
}

func decide(nodes []*corev1.Node, held []Held, asks ...Ask) []Decision {
	p := New(now, nodes, held)
	var decisions []Decision
	for i := range asks {
		decisions = append(decisions, p.Decide(&asks[i]))
	}
	return decisions
}

func started(decisions []Decision) string {
	text := ""
	for _, d := range decisions {
		switch {
		case d.Backfilled:
			text += "b"
		case d.Start:
			text += "s"
		default:
			text += "-"
		}
	}
	return text
}

func TestWhoHasRoomStarts(t *testing.T) {
	two := []*corev1.Node{node("b", 4), node("a", 4)}
	for _, c := range []struct {
		name string
		held []Held
		asks []Ask
		want string
	}{
		{"in order, until all is taken", nil, []Ask{ask("x", 1, 4, 10), ask("y", 1, 4, 10), ask("z", 1, 1, 10)}, "ss-"},
		{"the Pods of a Job share nodes", nil, []Ask{ask("x", 8, 1, 10)}, "s"},
		{"all Pods of a Job or none", nil, []Ask{ask("x", 1, 1, 10), ask("y", 8, 1, 10)}, "s-"},
		{"not over two nodes what one Pod takes", []Held{until(5, "a", 1), until(5, "b", 1)}, []Ask{ask("x", 1, 4, 10)}, "-"},
		{"what is on a node that is gone holds nothing", []Held{until(5, "c", 4)}, []Ask{ask("x", 2, 4, 10)}, "s"},
		{"who ends before the one room is kept for", []Held{until(30, "a", 4), until(60, "b", 2)},
			[]Ask{ask("x", 2, 4, 10), ask("y", 1, 2, 60)}, "-b"},
		{"not who ends later", []Held{until(30, "a", 4), until(60, "b", 2)}, []Ask{ask("x", 2, 4, 10), ask("y", 1, 2, 61)}, "--"},
		{"who leaves alone what is kept", []Held{until(30, "a", 3)}, []Ask{ask("x", 1, 4, 10), ask("w", 1, 4, 10), ask("y", 1, 1, 0)}, "s-b"},
		{"not who has no end and needs what is kept", []Held{until(30, "a", 4), until(30, "b", 3)}, []Ask{ask("x", 2, 4, 10), ask("y", 1, 1, 0)}, "--"},
		{"nothing is kept for what can never be", nil, []Ask{ask("x", 1, 5, 10), ask("y", 2, 4, 0)}, "-s"},
		{"what never ends is no room to come", []Held{{Node: "a", Takes: cpus(1)}}, []Ask{ask("x", 2, 4, 10), ask("y", 1, 4, 0)}, "-s"},
		{"a Job of no Pods", nil, []Ask{ask("x", 0, 1, 10)}, "s"},
	} {
		if got := started(decide(two, c.held, c.asks...)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestARequestOfMoreThan64BitsHasNoRoom(t *testing.T) {
	for _, text := range []string{"9223372036854775807", "1e18", "1e300"} {
		huge := ask("huge", 1, 1, 0)
		huge.Each = OfPod(corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)})
		if got := started(decide([]*corev1.Node{node("n", 1)}, nil, huge, ask("two", 1, 2, 0))); got != "--" {
			t.Errorf("%s CPUs on a node of one, then 2: got %s, want neither started", text, got)
		}
		memory := Of(corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(text)})
		if got := memory[corev1.ResourceMemory]; got != mostAmount {
			t.Errorf("memory %s: got %d, want %d", text, got, int64(mostAmount))
		}
	}
}

func TestNothingIsKeptForOthersWork(t *testing.T) {
	foreign := ask("f", 1, 4, 0)
	foreign.Ours = false
	if got := started(decide([]*corev1.Node{node("a", 4)}, []Held{until(9, "a", 2)}, foreign, ask("x", 1, 2, 60))); got != "-s" {
		t.Errorf("got %s, want -s", got)
	}
}

func TestNodesThatTakeNoPodsAreNoRoom(t *testing.T) {
	cordoned, broken, tainted, chosen := node("cordoned", 4), node("broken", 4), node("tainted", 4), node("chosen", 4)
	cordoned.Spec.Unschedulable = true
	broken.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}
	taint := corev1.Taint{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}
	tainted.Spec.Taints = []corev1.Taint{taint, {Key: "soft", Effect: corev1.TaintEffectPreferNoSchedule}}
	tolerant, picky, odd := ask("t", 1, 4, 1), ask("p", 1, 4, 1), ask("o", 1, 1, 1)
	tolerant.Spec = &corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}}
	picky.Spec = &corev1.PodSpec{NodeSelector: map[string]string{"name": "chosen"}}
	odd.Spec = &corev1.PodSpec{NodeSelector: map[string]string{"name": "cordoned"}}
	decisions := decide([]*corev1.Node{cordoned, broken, tainted, chosen}, nil, odd, picky, ask("x", 1, 1, 1), tolerant)
	if got := started(decisions); got != "-s-b" { // The last one overtakes the third, on a node that only it can use.
		t.Errorf("got %s, want -s-b", got)
	}
	if !strings.Contains(decisions[0].Why, "selector") {
		t.Errorf("got %q, want the selector named", decisions[0].Why)
	}
}

func TestReasonsSayWhatIsWaitedFor(t *testing.T) {
	decisions := decide([]*corev1.Node{node("a", 4)}, []Held{until(30, "a", 3)},
		ask("n/big", 2, 2, 10), ask("n/small", 1, 1, 60), ask("n/wide", 1, 2, 60), ask("n/huge", 1, 5, 60))
	for i, want := range []string{
		"it waits for room for 2 x (cpu 2), of which 0 fit now; at 1970-01-12T14:16Z at the latest all do",
		"room is kept for n/big, which is before it and starts at 1970-01-12T14:16Z at the latest",
		"it waits for room for 1 x (cpu 2), of which 0 fit now",
		"the nodes it can use have no room for 1 x (cpu 5), even when what is queued has ended",
	} {
		if decisions[i].Why != want {
			t.Errorf("got %q, want %q", decisions[i].Why, want)
		}
	}
}

// Pods of one size always pack alike: they start while slots are left.
func TestNodesHoldNoMoreThanTheyHave(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		each, slots := 1+random.Int64N(3), int64(0)
		var nodes []*corev1.Node
		for i := range 1 + random.IntN(4) {
			size := 1 + random.Int64N(8)
			nodes, slots = append(nodes, node(fmt.Sprint("n", i), size)), slots+size/each
		}
		p := New(now, nodes, nil)
		for i := range 20 {
			a := ask(fmt.Sprint(i), 1+random.Int64N(5), each, 0)
			fits := a.Pods <= slots
			if fits {
				slots -= a.Pods
			}
			if got := p.Decide(&a); got.Start != fits {
				t.Fatalf("seed %d: number %d of %d Pods, %d slots left: got %+v, want it to start: %v", seed, i, a.Pods, slots, got, fits)
			}
		}
	}
}

// On one node, where the scheduler has no choice: backfilled Pods do not delay the first waiting ask, if all run up to
// their limits.
func TestWhoPassesDelaysNobody(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 2))
		nodes := []*corev1.Node{node("a", 8)}
		var held []Held
		for used := int64(0); used < 6; used += 2 {
			held = append(held, until(1+random.IntN(60), "a", 2))
		}
		asks := []Ask{ask("first", 1, 3+random.Int64N(6), 30)}
		for i := range 6 {
			asks = append(asks, ask(fmt.Sprint(i), 1, 1+random.Int64N(3), 1+random.IntN(90)))
		}
		alone := startOf(nodes, held, asks[0])
		decisions := decide(nodes, held, asks...)
		for i, d := range decisions[1:] {
			if d.Start {
				held = append(held, Held{"a", asks[i+1].Each, now.Add(asks[i+1].Limit)})
			}
		}
		if decisions[0].Start {
			continue
		}
		if after := startOf(nodes, held, asks[0]); after.After(alone) {
			t.Fatalf("seed %d: the first starts at %v, without the others at %v", seed, after, alone)
		}
	}
}

// startOf searches minute by minute for room on the only node.
func startOf(nodes []*corev1.Node, held []Held, a Ask) time.Time {
	for at := now; ; at = at.Add(time.Minute) {
		free := nodes[0].Status.Allocatable.Cpu().MilliValue()
		for _, h := range held {
			if h.End.After(at) {
				free -= h.Takes[corev1.ResourceCPU]
			}
		}
		if free >= a.Each[corev1.ResourceCPU] || at.After(now.Add(24*time.Hour)) {
			return at
		}
	}
}

// gang requests a leader of so many CPUs, and workers of one CPU.
func gang(name string, leader, workers int64, minutes int) Ask {
	a := ask(name, 1, leader, minutes)
	a.More = []Shape{{Pods: workers, Each: cpus(1), Spec: &corev1.PodSpec{}}}
	return a
}

func TestAGangStartsAsAWholeOrNotAtAll(t *testing.T) {
	nodes := []*corev1.Node{node("a", 4), node("b", 2)}
	for _, c := range []struct {
		asks []Ask
		want string
	}{
		{[]Ask{gang("g", 4, 2, 60)}, "s"},
		{[]Ask{gang("g", 2, 4, 60), ask("after", 1, 1, 60)}, "s-"},
		{[]Ask{gang("g", 4, 3, 60), ask("after", 6, 1, 60)}, "-s"}, // It never fits, so no room is kept for it.
		{[]Ask{ask("one", 1, 1, 30), gang("g", 4, 2, 60), ask("short", 1, 1, 30), ask("long", 1, 1, 60)}, "s-b-"},
	} {
		if got := started(decide(nodes, nil, c.asks...)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.asks, got, c.want)
		}
	}
	waits := decide(nodes, []Held{until(10, "b", 1)}, gang("g", 4, 2, 60))[0]
	if !strings.Contains(waits.Why, "1 x (cpu 4) and 2 x (cpu 1), of which 2 fit now") {
		t.Errorf("got %q, want both shapes, and the leader and a worker that fit", waits.Why)
	}
}
