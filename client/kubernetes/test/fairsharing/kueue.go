// Package fairsharing plays Kueue's own scheduler, with its caches and its code of fair sharing, on a manual clock: the
// package is the API server, and the reconcilers of Workloads and jobs.
package fairsharing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
	_ "unsafe" // For linkname.

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptions "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
	"sigs.k8s.io/kueue/pkg/workload"
)

// One cycle of Kueue's scheduler, and how it starts its writes: its own tests call both.
//
//go:linkname schedule sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func schedule(*scheduler.Scheduler, context.Context) wait.SpeedSignal

//go:linkname setAdmissionRoutineWrapper sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutineWrapper(*scheduler.Scheduler, routine.Wrapper)

const space, all = "work", "all" // The namespace, and the cohort.

// cohort has all quota, and a ClusterQueue without quota of its own for each account, whose Workloads of one CPU may preempt
// those of the others. Each has always some that wait.
type cohort struct {
	t         *testing.T
	ctx       context.Context
	clock     *testingclock.FakeClock
	scheduler *scheduler.Scheduler
	cache     *schdcache.Cache
	queues    *qcache.Manager
	seen      *expectations.Store
	quotas    []*kueue.ClusterQueue
	length    func() time.Duration

	lock    sync.Mutex
	patches map[string]*kueue.Workload // Of the present cycle, by name.
	works   map[string]*work
	running []int // By queue.

	submitted int

	admissions, preemptions int
	// Of the present weights: whether a queue has preempted another one.
	preempted map[[2]int]bool
	turned    int // Pairs that preempted each other under the same weights.
	twice     int // Workloads that were preempted twice under the same weights.
}

type work struct {
	object    *kueue.Workload
	queue     int
	left      time.Duration // Of its length.
	end       time.Time     // Zero = it waits.
	started   bool          // It has run, or runs.
	preempted int           // Under the present weights.
}

// synchronous runs the scheduler's writes before the cycle ends.
type synchronous struct{}

func (synchronous) Run(write func()) { write() }

// silent drops Kueue's Events.
type silent struct{}

func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}

// newCohort makes one of so many ClusterQueues with a quota of CPUs, whose Workloads last as long as `length` says.
func newCohort(t *testing.T, queues, quota int, start time.Time, length func() time.Duration) *cohort {
	t.Helper()
	c := &cohort{t: t, ctx: logr.NewContext(t.Context(), logr.Discard()), clock: testingclock.NewFakeClock(start), length: length, seen: preemptions.New(),
		patches: map[string]*kueue.Workload{}, works: map[string]*work{}, running: make([]int, queues), preempted: map[[2]int]bool{}}
	scheme := runtime.NewScheme()
	c.must(corev1.AddToScheme(scheme))
	c.must(kueue.AddToScheme(scheme))
	calls := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}).
		WithIndex(&kueue.LocalQueue{}, "spec.clusterQueue", nothing).WithIndex(&kueue.Workload{}, "spec.queueName", nothing).
		WithIndex(&kueue.Workload{}, "status.admission.clusterQueue", nothing).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: c.patch, Get: c.get}).Build()
	c.cache = schdcache.New(calls, schdcache.WithFairSharing(true))
	c.queues = qcache.NewManagerForUnitTests(calls, c.cache, qcache.WithPreemptionExpectations(c.seen))
	c.scheduler = scheduler.New(c.queues, c.cache, calls, silent{}, scheduler.WithClock(t, c.clock), scheduler.WithPreemptionExpectations(c.seen),
		scheduler.WithFairSharing(&config.FairSharing{PreemptionStrategies: []config.PreemptionStrategy{config.LessThanOrEqualToFinalShare}}))
	setAdmissionRoutineWrapper(c.scheduler, synchronous{})
	c.cache.AddOrUpdateResourceFlavor(logr.Discard(), &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	whole := &kueue.Cohort{ObjectMeta: metav1.ObjectMeta{Name: all}, Spec: kueue.CohortSpec{ResourceGroups: cpus(quota)}}
	c.must(c.cache.AddOrUpdateCohort(whole))
	c.queues.AddOrUpdateCohort(c.ctx, whole)
	for queue := range queues {
		c.addQueue(queue)
		for range 2 {
			c.submit(queue)
		}
	}
	return c
}

func nothing(client.Object) []string { return nil }

func (c *cohort) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func cpus(quota int) []kueue.ResourceGroup {
	return []kueue.ResourceGroup{{CoveredResources: []corev1.ResourceName{"cpu"}, Flavors: []kueue.FlavorQuotas{{Name: "default",
		Resources: []kueue.ResourceQuota{{Name: "cpu", NominalQuota: *resource.NewQuantity(int64(quota), resource.DecimalSI)}}}}}}
}

func (c *cohort) addQueue(queue int) {
	name := fmt.Sprint("q", queue)
	quotas := &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: kueue.ClusterQueueSpec{CohortName: all, ResourceGroups: cpus(0),
		NamespaceSelector: &metav1.LabelSelector{}, QueueingStrategy: kueue.StrictFIFO, StopPolicy: new(kueue.None),
		FlavorFungibility: &kueue.FlavorFungibility{WhenCanBorrow: kueue.MayStopSearch, WhenCanPreempt: kueue.TryNextFlavor},
		Preemption: &kueue.ClusterQueuePreemption{ReclaimWithinCohort: kueue.PreemptionPolicyAny, WithinClusterQueue: kueue.PreemptionPolicyNever,
			BorrowWithinCohort: &kueue.BorrowWithinCohort{Policy: kueue.BorrowWithinCohortPolicyNever}},
		FairSharing: &kueue.FairSharing{Weight: new(resource.MustParse("1"))}}}
	c.quotas = append(c.quotas, quotas)
	c.must(c.cache.AddClusterQueue(c.ctx, quotas))
	c.must(c.queues.AddClusterQueue(c.ctx, quotas))
	local := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name}, Spec: kueue.LocalQueueSpec{ClusterQueue: kueue.ClusterQueueReference(name)}}
	c.must(c.queues.AddLocalQueue(c.ctx, local))
}

func (c *cohort) submit(queue int) {
	c.submitted++
	name := fmt.Sprint("w", c.submitted)
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	w := &work{queue: queue, left: c.length(), object: &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(c.clock.Now())},
		Spec: kueue.WorkloadSpec{QueueName: kueue.LocalQueueName(fmt.Sprint("q", queue)), Active: new(true), Priority: new(int32(0)),
			PodSets: []kueue.PodSet{{Name: "main", Count: 1, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}}}}
	c.works[name] = w
	c.must(c.queues.AddOrUpdateWorkload(logr.Discard(), w.object))
}

// patch is the API server's answer to a write of a Workload's status.
func (c *cohort) patch(_ context.Context, _ client.Client, _ string, object client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.patches[object.GetName()] = object.(*kueue.Workload).DeepCopy()
	return nil
}

// get is its answer to a read: the Workloads are here alone.
func (c *cohort) get(ctx context.Context, calls client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	found, ok := object.(*kueue.Workload)
	if !ok {
		return calls.Get(ctx, key, object, options...)
	}
	c.works[key.Name].object.DeepCopyInto(found)
	return nil
}

func is(w *kueue.Workload, condition string) bool {
	return meta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

// cycle runs one cycle of the scheduler, and what the reconcilers do about its writes; it returns whether anything has changed.
func (c *cohort) cycle() bool {
	c.clock.Step(time.Nanosecond)
	schedule(c.scheduler, c.ctx)
	changed := false
	for _, name := range sortedNames(c.patches) {
		w, patch := c.works[name], c.patches[name]
		switch {
		case !w.end.IsZero() && is(patch, kueue.WorkloadEvicted):
			c.evict(w, patch)
		case w.end.IsZero() && is(patch, kueue.WorkloadQuotaReserved):
			c.admit(w, patch)
		default:
			continue // Why it waits.
		}
		changed = true
	}
	clear(c.patches)
	return changed
}

func sortedNames(patches map[string]*kueue.Workload) []string {
	var names []string
	for name := range patches {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

func number(name string) int {
	n, _ := strconv.Atoi(name[1:])
	return n
}

func (c *cohort) admit(w *work, patch *kueue.Workload) {
	w.object = w.object.DeepCopy()
	patch.Status.DeepCopyInto(&w.object.Status)
	w.end = c.clock.Now().Add(w.left)
	c.queues.DeleteAndForgetWorkload(logr.Discard(), workload.Key(w.object))
	c.cache.AddOrUpdateWorkload(logr.Discard(), w.object)
	c.running[w.queue]++
	c.admissions++
	if !w.started {
		w.started = true
		c.submit(w.queue)
	}
}

// evict gives the quota of a preempted Workload back, which waits again.
func (c *cohort) evict(w *work, patch *kueue.Workload) {
	by := c.preemptor(patch)
	w.object = w.object.DeepCopy()
	patch.Status.DeepCopyInto(&w.object.Status)
	c.seen.ObservedUID(logr.Discard(), client.ObjectKeyFromObject(w.object), w.object.UID)
	c.must(c.cache.DeleteWorkload(logr.Discard(), workload.Key(w.object)))
	workload.UnsetQuotaReservationWithCondition(w.object, "Pending", "preempted", c.clock.Now())
	w.object.Status.Admission = nil
	w.left, w.end = w.end.Sub(c.clock.Now()), time.Time{}
	c.must(c.queues.AddOrUpdateWorkload(logr.Discard(), w.object))
	c.running[w.queue]--
	c.preemptions++
	if w.preempted++; w.preempted == 2 {
		c.twice++
	}
	c.preempted[[2]int{by, w.queue}] = true
	if c.preempted[[2]int{w.queue, by}] {
		c.turned++
	}
}

// preemptor is the queue that a preempted Workload had to leave its quota to, by Kueue's condition.
func (c *cohort) preemptor(patch *kueue.Workload) int {
	message := meta.FindStatusCondition(patch.Status.Conditions, kueue.WorkloadPreempted).Message
	var name string
	if _, err := fmt.Sscanf(message, "Preempted to accommodate a workload (UID: %s", &name); err != nil || c.works[name[:len(name)-1]] == nil {
		c.t.Fatalf("got the message %q, want the UID of a Workload", message)
	}
	return c.works[name[:len(name)-1]].queue
}

// set sets the weights of the ClusterQueues.
func (c *cohort) set(weights []float64) {
	for queue, weight := range weights {
		changed := c.quotas[queue].DeepCopy()
		changed.Spec.FairSharing.Weight = new(resource.MustParse(fmt.Sprint(weight)))
		c.quotas[queue] = changed
		c.must(c.cache.UpdateClusterQueue(logr.Discard(), changed))
		c.must(c.queues.UpdateClusterQueue(c.ctx, changed, true))
	}
	clear(c.preempted)
	for _, w := range c.works {
		w.preempted = 0
	}
}

// until plays to a time; `used` gets the CPUs of each queue from one time to another.
func (c *cohort) until(end time.Time, used func(queue, cpus int, from, to time.Time)) {
	for {
		for c.cycle() {
		}
		next := end
		for _, w := range c.works {
			if !w.end.IsZero() && w.end.Before(next) {
				next = w.end
			}
		}
		for queue, cpus := range c.running {
			used(queue, cpus, c.clock.Now(), next)
		}
		c.clock.SetTime(next)
		for name, w := range c.works {
			if !w.end.IsZero() && !w.end.After(next) {
				c.must(c.cache.DeleteWorkload(logr.Discard(), workload.Key(w.object)))
				c.running[w.queue]--
				delete(c.works, name)
			}
		}
		if next.Equal(end) {
			return
		}
	}
}
