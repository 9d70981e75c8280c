package controller

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"golang.org/x/time/rate"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

// bind puts released Pods on nodes, as a scheduler does, and creates the Pods of Jobs. It is the naive second
// opinion: a Pod that finds no room was released too early.
func (s *plainSite) bind() {
	s.t.Helper()
	for _, p := range s.pods() {
		if p.Spec.NodeName == "" && len(p.Spec.SchedulingGates) == 0 && p.Status.Phase == "" {
			s.bindOne(&p)
		}
	}
	for _, j := range s.jobs() {
		if *j.Spec.Suspend || j.Status.StartTime != nil {
			continue
		}
		for i := range *j.Spec.Parallelism {
			isController := true
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", j.Name, i),
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: j.Name, UID: j.UID, Controller: &isController}}}, Spec: j.Spec.Template.Spec}
			s.create(p)
			s.bindOne(p)
		}
		j.Status.StartTime = &metav1.Time{Time: s.now}
		s.updateStatus(&j)
	}
	s.look()
}

func (s *plainSite) bindOne(p *corev1.Pod) {
	s.t.Helper()
	used := map[string]int64{}
	for _, other := range s.pods() {
		if other.Status.Phase != corev1.PodSucceeded {
			used[other.Spec.NodeName] += other.Spec.Containers[0].Resources.Requests.Cpu().Value()
		}
	}
	wanted := p.Spec.Containers[0].Resources.Requests.Cpu().Value()
	for _, node := range s.Machine.Nodes() {
		if used[node.Name]+wanted <= node.Status.Allocatable.Cpu().Value() {
			p.Spec.NodeName = node.Name
			if err := s.client.Update(s.t.Context(), p); err != nil {
				s.t.Fatal(err)
			}
			p.Status.Phase = corev1.PodRunning
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.now)}}
			s.updateStatus(p)
			return
		}
	}
	s.t.Fatalf("%s had its turn and there is no room for it: %v", p.Name, used)
}

func (s *plainSite) updateStatus(object kube.Object) {
	s.t.Helper()
	if err := s.client.Status().Update(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
}

func (s *plainSite) pods() []corev1.Pod {
	s.t.Helper()
	var list corev1.PodList
	if err := s.client.List(s.t.Context(), &list); err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

func (s *plainSite) jobs() []batchv1.Job {
	s.t.Helper()
	var list batchv1.JobList
	if err := s.client.List(s.t.Context(), &list); err != nil {
		s.t.Fatal(err)
	}
	return list.Items
}

// endSome ends each running Pod with some probability, and a Job with its last Pod.
func (s *plainSite) endSome(random *rand.Rand, chance float64) {
	s.t.Helper()
	left := map[types.UID]bool{}
	for _, p := range s.pods() {
		if p.Status.Phase != corev1.PodRunning {
			continue
		}
		if random.Float64() < chance {
			p.Status.Phase = corev1.PodSucceeded
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(s.now)}}}}
			s.updateStatus(&p)
		} else if owner := metav1.GetControllerOf(&p); owner != nil {
			left[owner.UID] = true
		}
	}
	for _, j := range s.jobs() {
		if j.Status.StartTime != nil && !left[j.UID] && len(j.Status.Conditions) == 0 {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.now)}}
			s.updateStatus(&j)
		}
	}
	s.look()
}

// A random queue of Jobs, Pods and gangs on random nodes, whose controller crashes and whose priorityd fails at random:
// released work always has room, and in the end all work is released.
func TestWhateverIsKilledWhatHasItsTurnHasRoom(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 3))
		s := newPlainSite(t, 2+random.Int64N(3), 2+random.Int64N(3))
		for i := range 12 {
			name := fmt.Sprintf("w%02d", i)
			switch i % 3 {
			case 0:
				s.job(name, 1+random.Int32N(4), 1)
			case 1:
				s.create(ofLeaders(gated(name, 1), name, 2))
				s.create(ofLeaders(gated(name+"-1", 1), name, 2))
				s.service.order = append(s.service.order, name+"-1")
			default:
				s.pod(name, 1)
			}
			s.service.order = append(s.service.order, name)
		}
		random.Shuffle(len(s.service.order), func(i, j int) {
			s.service.order[i], s.service.order[j] = s.service.order[j], s.service.order[i]
		})
		for step := 0; len(s.released()) < s.wanted(); step++ {
			if step == 200 {
				t.Fatalf("seed %d: only %v had their turns", seed, s.released())
			}
			s.service.down = random.IntN(5) == 0
			if random.IntN(4) == 0 {
				s.restart()
			}
			s.Queue.turn(t.Context())
			s.turn(t.Context())
			if random.IntN(3) > 0 {
				s.bind()
			}
			s.now = s.now.Add(time.Minute)
			s.endSome(random, 0.4)
		}
	}
}

// wanted is the final number of records: the queued ones, and Pods of Jobs, which are not queued.
func (s *plainSite) wanted() int { return len(s.pods()) + len(s.jobs()) }

// released by hand before a crash and the report to priorityd: the next controller finds it running.
func TestAnUnreportedTurnCounts(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"a", "b"}
	s.pod("a", 1)
	s.pod("b", 1)
	s.Queue.turn(t.Context())
	if err := s.Releaser.Release(t.Context(), first(s.Book.Get("a"))); err != nil {
		t.Fatal(err)
	}
	s.restart()
	s.turns("a")
	s.bind()
	s.end("a")
	s.turns("a", "b")
}

// Pods and Jobs are charged from their scheduling to the end of their last container, through restarts.
func TestPlainWorkIsChargedToTheSecond(t *testing.T) {
	s := newPlainSite(t, 8)
	s.service.order = []string{"a", "j"}
	s.pod("a", 2)
	s.job("j", 3, 1)
	s.turns("a", "j")
	s.bind()
	want := int64(0)
	for step := range 30 {
		s.now = s.now.Add(61 * time.Second)
		s.service.away = step % 3
		s.charge(3)
		if step%7 == 6 {
			s.restart()
		}
	}
	want = 2 * 30 * 61 // Each on its own; the records have the CPUs.
	s.endSome(rand.New(rand.NewPCG(1, 1)), 1)
	s.service.away = 0
	s.charge(6)
	if got := s.service.seconds(); got != want {
		t.Errorf("got %d seconds charged, want %d", got, want)
	}
	var cpus []float64
	for _, record := range s.service.records {
		cpus = append(cpus, record.Tres["cpu"])
	}
	if slices.Min(cpus) != 2 || slices.Max(cpus) != 3 {
		t.Errorf("got records of %v CPUs, want 2 of the Pod and 3 of the Job", cpus)
	}
}

// charge runs some passes of an Accounting that knows only the state of the API.
func (s *plainSite) charge(turns int) {
	s.t.Helper()
	a := s.accounting()
	for range turns {
		a.turn(s.t.Context())
	}
}

func (s *plainSite) accounting() *Accounting {
	s.t.Helper()
	writer := &Writer{Client: s.client, Reader: s.client, Book: s.Book, Limit: rate.NewLimiter(rate.Inf, 1)}
	ledgers := &ConfigMaps{Client: s.client, Reader: s.client, Namespace: "priorityd", Mode: "plain", Limit: writer.Limit}
	a := NewAccounting(s.service, s.Book, writer, ledgers, "k")
	a.Now = func() time.Time { return s.now }
	a.OfJob, a.ByPods, s.Machine.Left = s.Machine.OfJob, s.Machine.ByPods, a.Left
	if err := a.load(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for _, r := range s.Book.Records("") {
		a.Changed(r, "q")
	}
	return a
}

// A deleted Pod runs until the end of its grace period; it is charged until its deletion completes, at most until then.
func TestADeletedPodIsChargedUntilItIsGone(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	c.now += 50
	c.api.put(func(r *workload.Record) { r.Deleted = time.Unix(c.now+30, 0) })
	c.turns(t, 2)
	c.want(t, 0)
	c.now += 7
	r := c.api.records["w"]
	c.api.book.Delete(&r)
	delete(c.api.records, "w")
	c.turns(t, 3)
	c.want(t, 57)
}

// relabel changes the labels of a Job, as an administrator could, or a tenant without the admission policy.
func (s *plainSite) relabel(name string, change func(map[string]string)) {
	s.t.Helper()
	j := &batchv1.Job{}
	if err := s.client.Get(s.t.Context(), kube.ObjectKey{Namespace: "chem", Name: name}, j); err != nil {
		s.t.Fatal(err)
	}
	change(j.Labels)
	if err := s.client.Update(s.t.Context(), j); err != nil {
		s.t.Fatal(err)
	}
	s.look()
}

func TestNoLabelEndsACharge(t *testing.T) {
	for name, change := range map[string]func(map[string]string){
		"Kueue's label is added": func(labels map[string]string) { labels["kueue.x-k8s.io/queue-name"] = "q" },
		"ours is taken off":      func(labels map[string]string) { delete(labels, workload.QueueLabel) },
	} {
		s := newPlainSite(t, 8)
		s.service.order = []string{"j"}
		s.job("j", 2, 1)
		s.turns("j")
		s.bind()
		a := s.accounting()
		a.turn(t.Context())
		s.relabel("j", change)
		s.now = s.now.Add(1000 * time.Second)
		a.turn(t.Context())
		if a.gone["j"] != nil || first(s.Book.Get("j")) == nil {
			t.Errorf("%s: it has left the books", name)
		}
		s.restart() // The next controller knows it by its ledger.
		s.charge(2)
		s.now = s.now.Add(1000 * time.Second)
		s.endSome(rand.New(rand.NewPCG(1, 1)), 1)
		s.charge(4)
		if got := s.service.seconds(); got != 2000 {
			t.Errorf("%s: got %d seconds charged, want 2000", name, got)
		}
	}
}

// Two controllers both act as the leader: the one with the older state adopts the other's ledger.
func TestALedgerThatAnotherControllerWroteIsNotWrittenOver(t *testing.T) {
	s := newPlainSite(t)
	limit := rate.NewLimiter(rate.Inf, 1)
	one := &ConfigMaps{Client: s.client, Reader: s.client, Namespace: "priorityd", Mode: "plain", Limit: limit}
	other := &ConfigMaps{Client: s.client, Reader: s.client, Namespace: "priorityd", Mode: "plain", Limit: limit}
	kept := func(until int64) Kept {
		return Kept{Kind: workload.KindJob, UID: "u", Name: types.NamespacedName{Namespace: "chem", Name: "j"}, Ledger: usage.Ledger{Until: until}}
	}
	if err := one.Keep(t.Context(), kept(100)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{100, 200} {
		var outdated *OutdatedError
		if err := other.Keep(t.Context(), kept(50)); !errors.As(err, &outdated) || outdated.Stored.Ledger.Until != want {
			t.Fatalf("got %v, want a report of %d", err, want)
		}
		if err := one.Keep(t.Context(), kept(200)); err != nil {
			t.Fatal(err)
		}
	}
	if all, _, err := other.Load(t.Context()); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], kept(200)) {
		t.Errorf("got %v %v, want one of 200", all, err)
	}
	if err := other.Keep(t.Context(), kept(300)); err != nil {
		t.Errorf("got %v, want that who has read it writes it", err)
	}
}
