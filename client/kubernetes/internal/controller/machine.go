package controller

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/release"
	"priorityd/kubernetes/internal/workload"
)

// soon is the assumed remaining time of work that has exceeded its limit.
const soon = time.Minute

// Machine is the informers' state of the nodes, and of the Pods that are or will be on them. Safe for concurrent use.
type Machine struct {
	// Raised on each change.
	Wake signal
	// Left is called when the last Pod of a Job has left its node.
	Left func(job types.UID)

	mutex sync.Mutex
	nodes map[string]*corev1.Node
	pods  map[types.UID]*heldPod
	jobs  map[types.UID]knownJob
	byJob map[types.UID]map[types.UID]*heldPod
	least map[jobKey]workload.TRES // The least requests of a Job's Pods, also of ended ones.
}

// knownJob is a Job that exists.
type knownJob struct {
	namespace string
	wanted    int32 // The number of Pods that it still has to run at a time.
}

// jobKey names a Job by its namespace too: Pods of another one can only claim to be of it.
type jobKey struct {
	namespace string
	uid       types.UID
}

// heldPod is an unfinished Pod.
type heldPod struct {
	node  string // Empty = not scheduled yet.
	since time.Time
	takes release.Amounts
	job   types.UID // Its Job; empty = none.
	idle  bool      // The scheduler does not try it: it has gates, fits no node, or is another scheduler's.
	spec  corev1.PodSpec
	made  time.Time
	name  string
	ends  time.Time // The end of its grace period; zero = it is not being deleted.
}

// NewMachine makes a Machine without nodes.
func NewMachine() *Machine {
	return &Machine{Wake: newSignal(), Left: func(types.UID) {}, nodes: map[string]*corev1.Node{}, pods: map[types.UID]*heldPod{},
		jobs: map[types.UID]knownJob{}, byJob: map[types.UID]map[types.UID]*heldPod{}, least: map[jobKey]workload.TRES{}}
}

// SetNode sets or deletes a node.
func (m *Machine) SetNode(node *corev1.Node, there bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if there {
		m.nodes[node.Name] = node
	} else {
		delete(m.nodes, node.Name)
	}
	m.Wake.raise()
}

// SetPod sets or deletes a Pod. A Pod that its Job left behind still counts to it.
func (m *Machine) SetPod(p *corev1.Pod, there bool) {
	m.mutex.Lock()
	defer m.Wake.raise()
	known := m.pods[p.UID]
	m.learn(p, there)
	if !there || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		delete(m.pods, p.UID)
		last := known != nil && m.leave(known.job, p.UID)
		m.forgetLeast(jobKey{p.Namespace, types.UID(workload.JobOf(p))}, !there)
		m.mutex.Unlock()
		if last {
			m.Left(known.job)
		}
		return
	}
	defer m.mutex.Unlock()
	held := &heldPod{node: p.Spec.NodeName, since: workload.ScheduledAt(p), takes: release.OfPod(workload.PodRequests(p)), job: types.UID(workload.JobOf(p)),
		idle: workload.IsUnscheduled(p), spec: p.Spec, made: p.CreationTimestamp.Time, name: p.Namespace + "/" + p.Name}
	if p.DeletionTimestamp != nil {
		held.ends = p.DeletionTimestamp.Time
	}
	if known != nil {
		held.job = cmp.Or(held.job, known.job)
	}
	m.pods[p.UID] = held
	if held.job != "" {
		if m.byJob[held.job] == nil {
			m.byJob[held.job] = map[types.UID]*heldPod{}
		}
		m.byJob[held.job][p.UID] = held
	}
}

// learn notes the requests of a Job's Pod. Only the least ones count, so that no Pod that claims to be of a Job adds to them.
func (m *Machine) learn(p *corev1.Pod, there bool) {
	job := jobKey{p.Namespace, types.UID(workload.JobOf(p))}
	if job.uid == "" || !there {
		return
	}
	tres := workload.Times(workload.PodRequests(p), 1)
	least, known := m.least[job]
	for name, amount := range least {
		if least[name] = min(amount, tres[name]); least[name] == 0 {
			delete(least, name)
		}
	}
	if !known {
		m.least[job] = tres
	}
}

// forgetLeast forgets the requests of a Job that does not exist and has no Pods.
func (m *Machine) forgetLeast(job jobKey, left bool) {
	if known, ok := m.jobs[job.uid]; left && (!ok || known.namespace != job.namespace) && len(m.byJob[job.uid]) == 0 {
		delete(m.least, job)
	}
}

// ByPods is the record of a Job with what its Pods request, if that is more than its template has.
func (m *Machine) ByPods(r *workload.Record) *workload.Record {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return r.ByPods(m.least[jobKey{r.Namespace, r.UID}])
}

// leave forgets a Pod of a Job; true = it was the last one.
func (m *Machine) leave(job, pod types.UID) bool {
	pods := m.byJob[job]
	delete(pods, pod)
	if len(pods) > 0 || pods == nil {
		return false
	}
	delete(m.byJob, job)
	return true
}

// OfJob is the number of a Job's Pods that are on nodes. One whose kubelet does not report its end counts until the end of
// its grace period.
func (m *Machine) OfJob(job types.UID, now time.Time) int32 {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	count := int32(0)
	for _, p := range m.byJob[job] {
		if p.node != "" && (p.ends.IsZero() || now.Before(p.ends.Add(soon))) {
			count++
		}
	}
	return count
}

// SetJob sets the number of Pods that a Job still needs, or deletes it.
func (m *Machine) SetJob(j *batchv1.Job, there bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	defer m.Wake.raise()
	if there {
		m.jobs[j.UID] = knownJob{j.Namespace, workload.StillWanted(j)}
	} else {
		delete(m.jobs, j.UID)
		m.forgetLeast(jobKey{j.Namespace, j.UID}, true)
	}
}

// Nodes are all nodes.
func (m *Machine) Nodes() []*corev1.Node {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var nodes []*corev1.Node
	for _, node := range m.nodes {
		nodes = append(nodes, node)
	}
	return nodes
}

// Total is the number of nodes and their allocatable resources, unschedulable nodes included.
func (m *Machine) Total() Total {
	nodes := m.Nodes()
	total := Total{Nodes: uint32(len(nodes)), TRES: workload.TRES{}}
	for _, node := range nodes {
		total.TRES.Add(node.Status.Allocatable)
	}
	return total
}

// On is the resources that Pods hold on the nodes; byUID has the running records.
func (m *Machine) On(now time.Time, running map[types.UID]*workload.Record, limit func(*workload.Record) time.Duration) []release.Held {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	var held []release.Held
	for uid, p := range m.pods {
		if p.node == "" {
			continue
		}
		h := release.Held{Node: p.node, Takes: p.takes}
		if r := running[cmp.Or(p.job, uid)]; r != nil && limit(r) > 0 {
			begin := r.Reserved
			if p.job == "" && !p.since.IsZero() {
				begin = p.since
			} else if !r.Admitted.IsZero() {
				begin = r.Admitted
			}
			h.End = latest(begin.Add(limit(r)), now.Add(soon))
		}
		held = append(held, h)
	}
	return held
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// ToCome are the requests that need room without a release: unscheduled Pods of running records, and Pods of
// other owners that the scheduler has to place. Oldest first.
func (m *Machine) ToCome(running []*workload.Record, limit func(*workload.Record) time.Duration) []release.Ask {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	ours, placed := map[types.UID]bool{}, map[types.UID]int32{}
	for _, r := range running {
		ours[r.UID] = true
	}
	var others []*heldPod
	for uid, p := range m.pods {
		switch {
		case p.node != "":
			placed[cmp.Or(p.job, uid)]++
		case !p.idle && !ours[cmp.Or(p.job, uid)]:
			others = append(others, p)
		}
	}
	slices.SortFunc(others, func(a, b *heldPod) int { return cmp.Or(a.made.Compare(b.made), cmp.Compare(a.name, b.name)) })
	var asks []release.Ask
	for _, p := range others {
		asks = append(asks, release.Ask{Name: p.name, Pods: 1, Each: p.takes, Spec: wishes(&p.spec)})
	}
	for _, r := range running {
		if a := askOf(r, limit(r)); a.Pods > 0 {
			if job, known := m.jobs[r.UID]; known {
				a.Pods = int64(job.wanted)
			}
			a.Pods -= int64(placed[r.UID])
			asks = append(asks, a)
		}
	}
	return slices.DeleteFunc(asks, func(a release.Ask) bool { return a.Pods <= 0 })
}

// wishes is the part of a stripped spec that selects a Pod's nodes.
func wishes(spec *corev1.PodSpec) *corev1.PodSpec {
	return &corev1.PodSpec{NodeSelector: spec.NodeSelector, Affinity: spec.Affinity, Tolerations: spec.Tolerations}
}

// askOfAll is the request of records that are released together, equal ones as one shape.
func askOfAll(together []*workload.Record, limit time.Duration) release.Ask {
	var shapes []*release.Shape
	known := map[string]*release.Shape{}
	for _, r := range together {
		next := askOf(r, limit)
		key := shapeKey(&next)
		if known[key] == nil {
			known[key] = &release.Shape{Each: next.Each, Spec: next.Spec}
			shapes = append(shapes, known[key])
		}
		known[key].Pods += next.Pods
	}
	a := askOf(together[0], limit)
	a.Pods = shapes[0].Pods
	for _, s := range shapes[1:] {
		a.More = append(a.More, *s)
	}
	return a
}

// shapeKey is the same for asks whose Pods are equal.
func shapeKey(a *release.Ask) string {
	spec, _ := json.Marshal(a.Spec)
	return fmt.Sprint(a.Each, string(spec)) // In the order of the names.
}

func askOf(r *workload.Record, limit time.Duration) release.Ask {
	return release.Ask{Name: r.Key().String(), Pods: int64(r.Pods), Each: release.OfPod(r.Plain.Each), Spec: &r.Plain.Spec, Limit: limit, Ours: true}
}
