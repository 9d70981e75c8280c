package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"priorityd/kubernetes/internal/workload"
)

// plainSite is a Release on controller-runtime's fake API server, whose informers report at once.
type plainSite struct {
	*Release
	t       *testing.T
	client  kube.Client
	service *service
	now     time.Time
}

func newPlainSite(t *testing.T, cpus ...int64) *plainSite {
	t.Helper()
	s := &plainSite{t: t, client: fake.NewClientBuilder().Build(), service: newService(), now: time.Unix(5000, 0)}
	s.restart()
	for i, count := range cpus {
		s.Machine.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node", i)}, Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{"cpu": *resource.NewQuantity(count, resource.DecimalSI), "pods": resource.MustParse("110")}}}, true)
	}
	return s
}

// restart starts another controller, which knows only the state of the API.
func (s *plainSite) restart() {
	book, machine := NewBook(PlaceOptions{DefaultUser: "nobody"}), NewMachine()
	if s.Release != nil {
		for _, node := range s.Machine.Nodes() {
			machine.SetNode(node, true)
		}
	}
	queue := NewQueue(s.service, book, "k")
	queue.lead()
	writer := &Writer{Client: s.client, Reader: s.client, Book: book, Limit: rate.NewLimiter(rate.Inf, 1)}
	s.Release = NewRelease(s.service, book, machine, queue, writer)
	s.Release.Limit = time.Hour
	s.Release.Now = func() time.Time { return s.now }
	s.look()
}

// look does the work of the informers.
func (s *plainSite) look() {
	s.t.Helper()
	var pods corev1.PodList
	var jobs batchv1.JobList
	for _, list := range []kube.ObjectList{&pods, &jobs} {
		if err := s.client.List(s.t.Context(), list); err != nil {
			s.t.Fatal(err)
		}
	}
	for i := range pods.Items {
		onPod(s.Book, s.Machine)(&pods.Items[i], true)
	}
	for i := range jobs.Items {
		onJob(s.Book, s.Machine)(&jobs.Items[i], true)
	}
}

func (s *plainSite) create(object kube.Object) {
	s.t.Helper()
	object.SetUID(types.UID(object.GetName()))
	object.SetNamespace("chem")
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.NewTime(s.now))
	}
	if err := s.client.Create(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
	s.look()
}

func template(cpus int64) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": *resource.NewQuantity(cpus, resource.DecimalSI)}}}}}
}

func (s *plainSite) pod(name string, cpus int64) { s.create(gated(name, cpus)) }

func gated(name string, cpus int64) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{workload.QueueLabel: "q"}}, Spec: template(cpus)}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: workload.Gate}}
	return p
}

func (s *plainSite) job(name string, pods int32, cpus int64) {
	suspend := true
	s.create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{workload.QueueLabel: "q"}},
		Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{Spec: template(cpus)}}})
}

// turns sends all work to priorityd, and releases.
func (s *plainSite) turns(want ...string) {
	s.t.Helper()
	s.Queue.turn(s.t.Context())
	s.turn(s.t.Context())
	slices.Sort(want)
	if got := s.released(); !slices.Equal(got, want) {
		s.t.Errorf("got %v released, want %v", got, want)
	}
}

func (s *plainSite) released() []string {
	s.t.Helper()
	var names []string
	var pods corev1.PodList
	var jobs batchv1.JobList
	if err := s.client.List(s.t.Context(), &pods); err != nil {
		s.t.Fatal(err)
	}
	if err := s.client.List(s.t.Context(), &jobs); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range pods.Items {
		if len(p.Spec.SchedulingGates) == 0 {
			names = append(names, p.Name)
		}
	}
	for _, j := range jobs.Items {
		if !*j.Spec.Suspend {
			names = append(names, j.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (s *plainSite) end(name string) {
	s.t.Helper()
	p := &corev1.Pod{}
	if err := s.client.Get(s.t.Context(), kube.ObjectKey{Namespace: "chem", Name: name}, p); err != nil {
		s.t.Fatal(err)
	}
	p.Status.Phase = corev1.PodSucceeded
	if err := s.client.Status().Update(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	s.look()
}

func TestTurnsComeInTheOrderOfPrioritydAsRoomAllows(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"c", "a", "j", "b"}
	s.pod("a", 2)
	s.pod("c", 2)
	s.job("j", 2, 2)
	long, limit := gated("b", 1), int64(7200)
	long.Spec.ActiveDeadlineSeconds = &limit
	s.create(long)
	s.turns("a", "c")
	s.end("c")
	s.turns("a", "c") // j is next and needs all four CPUs: room is kept for it.
	if why := s.Why("j"); !strings.Contains(why, "2 x (cpu 2), of which 1 fit now") {
		t.Errorf("got %q, want what j waits for", why)
	}
	if why := s.Why("b"); !strings.Contains(why, "room is kept for chem/j") {
		t.Errorf("got %q, want the job that room is kept for", why)
	}
	s.end("a")
	s.turns("a", "c", "j")
}

func TestWhatIsReleasedHoldsItsRoomBeforeItIsOnANode(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"j", "a"}
	s.job("j", 3, 1)
	s.pod("a", 2)
	s.turns("j")
	s.restart()
	s.turns("j") // Its Pods are not created yet.
}

func TestTheTimeLimitOfAPodBeginsOnItsNode(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"late"}
	s.pod("late", 1)
	s.turns("late")
	s.now = s.now.Add(30 * time.Minute)
	for _, p := range s.pods() {
		s.bindOne(&p)
	}
	s.look()
	_, running := s.running()
	held := s.Machine.On(s.now, running, s.limit)
	if want := s.now.Add(time.Hour); len(held) != 1 || !held[0].End.Equal(want) {
		t.Errorf("got %+v, want its end at %v", held, want)
	}
}

func TestOthersPodsHoldRoom(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"a"}
	other := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Spec: template(3)}
	other.Spec.NodeName = "node0"
	s.create(other)
	s.pod("a", 2)
	s.turns("other")
	if why := s.Why("a"); !strings.Contains(why, "even when what is queued has ended") {
		t.Errorf("got %q", why)
	}
	s.Machine.SetPod(other, false)
	s.turns("a", "other")
}

func TestWorkThatNoNodeHoldsDoesNotFillTheTop(t *testing.T) {
	s := newPlainSite(t, 1)
	s.Top = 2
	for i := range 20 {
		name := fmt.Sprintf("huge%02d", i)
		s.pod(name, 2)
		s.service.order = append(s.service.order, name)
	}
	s.pod("a", 1)
	s.service.order = append(s.service.order, "a")
	for range 3 {
		s.turns()
	}
	s.turns("a")
}

func TestAPodWhoseSchedulerDoesNotExistHoldsNoRoom(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"a"}
	s.pod("a", 1)
	nobodys := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "nobodys"}, Spec: template(1)}
	nobodys.Spec.SchedulerName = "nobody"
	s.create(nobodys)
	s.turns("a", "nobodys") // One never had a gate.
}

// priorityd applies limits to the running jobs that it knows: each release is sent before the next request.
func TestLimitsSeeWhatWasReleasedBefore(t *testing.T) {
	s := newPlainSite(t, 8)
	s.service.order, s.service.most = []string{"a", "b", "c"}, 1
	for _, name := range []string{"a", "b", "c"} {
		s.pod(name, 1)
	}
	s.turns("a")
	s.end("a")
	s.turns("a", "b")
}

func TestAJobThatPrioritydRefusesStaysAndOthersGo(t *testing.T) {
	s := newPlainSite(t, 8)
	s.service.order, s.service.refuse["stranger"] = []string{"stranger", "a"}, true
	s.pod("stranger", 1)
	s.pod("a", 1)
	s.turns("a")
}

func TestAPodThatIsDeletedIsNobodysTurn(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"a", "b"}
	s.pod("a", 1)
	s.pod("b", 1)
	s.Queue.turn(t.Context())
	if err := s.client.Delete(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "chem", Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	// The informer has not reported the deletion yet: releasing it is no error and blocks nothing.
	if err := s.Releaser.Release(t.Context(), first(s.Book.Get("a"))); err != nil {
		t.Fatal(err)
	}
	s.Book.Delete(first(s.Book.Get("a")))
	s.turns("b")
}

// refusing is an API server that rejects some releases.
type refusing struct {
	Releaser
	name string
}

func (r refusing) Release(ctx context.Context, w *workload.Record) error {
	if w.Name == r.name {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, w.Name, errAway)
	}
	return r.Releaser.Release(ctx, w)
}

func TestAnObjectThatTheAPIServerRefusesDelaysNoOther(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"a", "b"}
	s.pod("a", 1)
	s.pod("b", 1)
	willing := s.Releaser
	s.Releaser = refusing{willing, "a"}
	reported := 0
	s.Report = func(*workload.Record, string, string) { reported++ }
	s.turns("b")
	s.turns("b")
	if reported != 1 {
		t.Errorf("got it tried %d times, want once a minute", reported)
	}
	s.end("b")
	s.Releaser = willing
	s.now = s.now.Add(refusedFor)
	s.turns("a", "b")
}

// busy is an API server on which the owner of a Pod changes it before each patch.
type busy struct {
	kube.Client
	name   string
	change int // So many patches find it changed.
	tried  int
}

func (b *busy) Patch(ctx context.Context, object kube.Object, patch kube.Patch, options ...kube.PatchOption) error {
	if object.GetName() == b.name && b.tried < b.change {
		b.tried++
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, b.name, errAway)
	}
	return b.Client.Patch(ctx, object, patch, options...)
}

func TestAPodThatChangesOnceLosesNoTurnAndOneThatAlwaysDoesDelaysNoOther(t *testing.T) {
	for changes, want := range map[int]string{1: "a", mostChanges: "b"} {
		s := newPlainSite(t, 1)
		s.service.order = []string{"a", "b"}
		s.pod("a", 1)
		s.pod("b", 1)
		s.Releaser.(*Writer).Client = &busy{Client: s.client, name: "a", change: changes}
		s.turns(want)
	}
}

func first(r *workload.Record, _ workload.Place) *workload.Record { return r }

func TestWithoutPrioritydNothingStartsForAWhileThenFirstInFirstOut(t *testing.T) {
	s := newPlainSite(t, 2)
	s.service.order = []string{"b", "a"}
	s.FIFOAfter = time.Minute
	s.pod("a", 1)
	s.pod("b", 1)
	s.Queue.turn(t.Context())
	if _, err := s.waiting(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, later := range []string{"d", "c"} {
		s.now = s.now.Add(time.Second)
		p := gated(later, 1)
		p.CreationTimestamp = metav1.NewTime(s.now)
		s.create(p)
	}
	s.service.down = true
	s.turns()
	s.now = s.now.Add(time.Minute)
	order, err := s.waiting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range order {
		names = append(names, w.Name)
	}
	if want := []string{"b", "a", "d", "c"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v: the last order of priorityd, then in order of submission", names, want)
	}
	s.turns("a", "b")
}

func TestATurnIsGivenOnceAndSaysWhen(t *testing.T) {
	s := newPlainSite(t, 2)
	s.service.order = []string{"a"}
	s.pod("a", 1)
	s.turns("a")
	p := &corev1.Pod{}
	if err := s.client.Get(context.Background(), kube.ObjectKey{Namespace: "chem", Name: "a"}, p); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339, p.Annotations[workload.ReleasedAnnotation]); err != nil {
		t.Errorf("got %v: %v", p.Annotations, err)
	}
	version := p.ResourceVersion
	s.turns("a")
	if err := s.client.Get(context.Background(), kube.ObjectKeyFromObject(p), p); err != nil || p.ResourceVersion != version {
		t.Errorf("got version %s after %s, %v: want no further write", p.ResourceVersion, version, err)
	}
}
