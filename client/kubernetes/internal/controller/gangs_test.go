package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// ofPodGroup makes a Pod a member of a PodGroup.
func ofPodGroup(p *corev1.Pod, group string) *corev1.Pod {
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	return p
}

// controlledBy makes an object one of its controller.
func controlledBy(o metav1.Object, apiVersion, kind, name, uid string) {
	yes := true
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: &yes}})
}

// ofLeaders makes a Pod a member of a group of a LeaderWorkerSet, as its StatefulSets do.
func ofLeaders(p *corev1.Pod, name string, size int) *corev1.Pod {
	p.Labels["leaderworkerset.sigs.k8s.io/name"] = name
	p.Labels["leaderworkerset.sigs.k8s.io/group-index"] = "0"
	p.Annotations = map[string]string{"leaderworkerset.sigs.k8s.io/size": strconv.Itoa(size)}
	controlledBy(p, "apps/v1", "StatefulSet", name+"-0", "workers")
	return p
}

// podGroup is a PodGroup as Kubernetes 1.36 has it (scheduling.k8s.io/v1alpha2).
func podGroup(name string, minCount int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
		"metadata": map[string]any{"namespace": "chem", "name": name},
		"spec":     map[string]any{"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": minCount}}}}}
}

// sent is the last update of a job; nil = it was removed, or never sent.
func (s *service) sent(id string) *pb.Job {
	for _, update := range slices.Backward(s.updates) {
		for _, job := range update.Upserts {
			if job.JobId == id {
				return job
			}
		}
		if slices.Contains(update.Removals, id) {
			return nil
		}
	}
	return nil
}

func TestAPodGroupIsOneJobAndHasOneTurn(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order, s.service.most = []string{"g0", "g1", "g2", "a"}, 1
	group := podGroup("g", 3)
	for i := range 2 {
		s.create(ofPodGroup(gated(fmt.Sprint("g", i), 1), "g"))
	}
	s.turns()
	if job := s.service.sent("g0"); job.GetHold() != pb.Hold_HOLD_USER {
		t.Errorf("got %v, want it held: its PodGroup is not there", job)
	}
	onPodGroup(s.Book)(group, true)
	s.turns()
	s.create(ofPodGroup(gated("g2", 1), "g"))
	s.pod("a", 1)
	s.Queue.turn(t.Context())
	if job := s.service.sent("g0"); job.GetHold() == pb.Hold_HOLD_USER || job.GetCpus() != 3 || job.GetNodes() != 3 ||
		s.service.sent("g1") != nil || s.service.sent("g2") != nil {
		t.Errorf("got %v, want one job of three Pods", job)
	}
	s.turns("g0", "g1", "g2") // The limit of one job lets all of its Pods run, and no other work.
	s.end("g0")
	s.Queue.turn(t.Context())
	if job := s.service.sent("g1"); job.GetState() != pb.JobState_JOB_STATE_RUNNING || job.GetCpus() != 2 || s.service.sent("g0") != nil {
		t.Errorf("got %v, want that the rest of the gang runs as one job", job)
	}
}

func TestAGroupOfLeaderAndWorkersStartsOnlyTogether(t *testing.T) {
	s := newPlainSite(t, 4, 2)
	s.service.order = []string{"a", "leader", "worker0", "worker1", "b"}
	s.pod("a", 1)
	s.turns("a")
	s.bind()
	s.create(ofLeaders(gated("worker0", 1), "llm", 3))
	s.create(ofLeaders(gated("worker1", 1), "llm", 3))
	s.turns("a")
	s.create(ofLeaders(gated("leader", 4), "llm", 3))
	long, limit := gated("b", 1), int64(7200)
	long.Spec.ActiveDeadlineSeconds = &limit
	s.create(long)
	s.turns("a")
	if why := s.Why("leader"); !strings.Contains(why, "x (cpu 1)") || !strings.Contains(why, "1 x (cpu 4)") {
		t.Errorf("got %q, want both sizes of its Pods", why)
	}
	s.end("a")
	s.turns("a", "leader", "worker0", "worker1")
	s.bind()
	s.restart() // Another controller takes none of it for waiting.
	s.turns("a", "leader", "worker0", "worker1")
}

// A Pod of a running gang that is created again has its turn alone.
func TestAReplacedMemberHasATurn(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"w0", "w1", "w2"}
	s.create(ofLeaders(gated("w0", 1), "llm", 2))
	s.create(ofLeaders(gated("w1", 1), "llm", 2))
	s.turns("w0", "w1")
	s.bind()
	p := &corev1.Pod{}
	if err := s.client.Get(t.Context(), first(s.Book.Get("w1")).Key(), p); err != nil {
		t.Fatal(err)
	}
	p.Status.Phase = corev1.PodFailed
	s.updateStatus(p)
	s.look()
	s.turns("w0", "w1")
	s.create(ofLeaders(gated("w2", 1), "llm", 2))
	s.turns("w0", "w1", "w2")
}

// jobOfSet creates a Job of a JobSet of so many Jobs, by a user; 0 = its JobSet does not state them.
func (s *plainSite) jobOfSet(name, set, user string, pods int32, jobs int) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{workload.UserLabel: "u-" + user + "-u", "jobset.sigs.k8s.io/jobset-uid": set}},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods, Suspend: new(bool), Template: corev1.PodTemplateSpec{Spec: gated("", 1).Spec}}}
	if jobs > 0 {
		j.Labels["jobset.sigs.k8s.io/global-replicas"] = strconv.Itoa(jobs)
	}
	controlledBy(j, "jobset.x-k8s.io/v1alpha2", "JobSet", "train", set)
	j.Status.StartTime = &metav1.Time{Time: s.now}
	s.create(j)
	return j
}

// podOfJob creates a waiting Pod of a Job, as the Job controller does: without the Job's user.
func (s *plainSite) podOfJob(name, job string) {
	p := gated(name, 1)
	controlledBy(p, "batch/v1", "Job", job, job)
	s.create(p)
	s.service.order = append(s.service.order, name)
}

// The Pods of all Jobs of a JobSet.
func TestAJobSetHasOneTurn(t *testing.T) {
	s := newPlainSite(t, 3)
	s.podOfJob("d0", "driver")
	s.turns() // Its Job is not known yet.
	driver := s.jobOfSet("driver", "js", "jobset-controller", 1, 2)
	s.turns("driver") // The second Job is not created yet.
	s.jobOfSet("workers", "js", "jobset-controller", 2, 2)
	s.podOfJob("w0", "workers")
	s.turns("driver", "workers")
	s.podOfJob("w1", "workers")
	s.turns("driver", "workers", "d0", "w0", "w1")
	onJob(s.Book, s.Machine)(driver, false)
	if len(s.Book.gangs) != 2 { // That of the JobSet, and the Pod of an unknown Job.
		t.Errorf("got %d gangs, want two", len(s.Book.gangs))
	}
}

func TestAJobSetThatDoesNotStateItsSizeStartsWithTheJobsThatAreThere(t *testing.T) {
	s := newPlainSite(t, 3)
	var warned []string
	s.Report = func(_ *workload.Record, reason, _ string) { warned = append(warned, reason) }
	s.jobOfSet("driver", "js", "jobset-controller", 1, 0)
	s.podOfJob("d0", "driver")
	s.turns("driver") // Another Job may come.
	s.jobOfSet("workers", "js", "jobset-controller", 1, 0)
	s.now = s.now.Add(sizePatience)
	s.turns("driver", "workers")
	s.podOfJob("w0", "workers")
	s.turns("driver", "workers", "d0", "w0")
	if !slices.Equal(warned, []string{"GangSizeUnknown"}) {
		t.Errorf("got the Events %v, want one that the size is not known", warned)
	}
}

// Eve's Job has the labels of amy's JobSet, and even its owner reference, but not the stamp of its controller.
func TestALabelOrAnOwnerReferenceMakesNoMemberOfAJobSet(t *testing.T) {
	s := newPlainSite(t, 8)
	s.jobOfSet("amys", "js", "jobset-controller", 1, 1)
	s.jobOfSet("eves", "js", "eve", 5, 99)
	s.create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "labelled", Labels: map[string]string{
		"jobset.sigs.k8s.io/jobset-uid": "js", "jobset.sigs.k8s.io/global-replicas": "99"}}, Spec: batchv1.JobSpec{Suspend: new(bool)}})
	s.podOfJob("e0", "eves")
	s.podOfJob("a0", "amys")
	s.turns("a0", "amys", "eves", "labelled")
}

// Each Pod of a Job with gates has its turn alone, once its Job is known to be of no JobSet.
func TestAPodOfAJobOfNoJobSetHasATurnAlone(t *testing.T) {
	s := newPlainSite(t, 8)
	s.podOfJob("p0", "j")
	s.podOfJob("v0", "volcano's")
	s.turns()
	p := gated("v1", 1)
	controlledBy(p, "batch.volcano.sh/v1alpha1", "Job", "v", "v")
	s.create(p)
	s.service.order = append(s.service.order, "v1")
	pods := int32(9)
	s.create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}, Spec: batchv1.JobSpec{Parallelism: &pods, Suspend: new(bool)}})
	s.turns("j", "p0", "v1")
}

func TestAPodGroupWithoutTheGangPolicyIsNoGang(t *testing.T) {
	s := newPlainSite(t, 1)
	s.service.order = []string{"a", "b"}
	basic := podGroup("g", 3)
	unstructured.RemoveNestedField(basic.Object, "spec", "schedulingPolicy", "gang")
	s.create(ofPodGroup(gated("a", 1), "g"))
	s.create(ofPodGroup(gated("b", 1), "g"))
	s.turns() // Their PodGroup is not there.
	onPodGroup(s.Book)(basic, true)
	s.turns("a")
}

func TestAForgottenGangLeavesNothing(t *testing.T) {
	s := newPlainSite(t, 1)
	group := podGroup("g", 2)
	onPodGroup(s.Book)(group, true)
	p := ofPodGroup(gated("a", 1), "g")
	s.create(p)
	onPod(s.Book, s.Machine)(p, false)
	onPodGroup(s.Book)(group, false)
	if len(s.Book.gangs) != 0 {
		t.Errorf("got %v, want none", s.Book.gangs)
	}
}

// Pods of eve have the labels of amy's group and another size: they neither start with it nor delay it.
func TestNobodyJoinsTheGangOfAnotherUser(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"a0", "a1", "e0"}
	of := func(user, name string, size int) {
		p := ofLeaders(gated(name, 1), "llm", size)
		p.Labels[workload.UserLabel] = "u-" + user + "-u"
		s.create(p)
	}
	of("amy", "a0", 2)
	of("eve", "e0", 3)
	s.turns()
	of("amy", "a1", 2)
	s.turns("a0", "a1")
}

// Pods that a controller of Kubernetes creates have no user: those of eve's StatefulSet with the labels of amy's group and
// another size do not delay it, those of another kind of owner do not complete it, and a size that is no number is none.
func TestLabelsMakeNoMemberOfALeaderWorkerSet(t *testing.T) {
	s := newPlainSite(t, 8)
	s.service.order = []string{"a0", "a1", "e0", "e1", "e2"}
	s.create(ofLeaders(gated("a0", 1), "llm", 2))
	s.create(ofLeaders(gated("e0", 1), "llm", 1000))
	e1 := ofLeaders(gated("e1", 1), "llm", 2)
	controlledBy(e1, "apps/v1", "ReplicaSet", "llm-0", "eves")
	s.create(e1)
	s.turns("e1") // Alone.
	odd := ofLeaders(gated("e2", 1), "llm", 2)
	odd.Annotations["leaderworkerset.sigs.k8s.io/size"] = "many"
	s.create(odd)
	s.turns("e1", "e2")
	s.create(ofLeaders(gated("a1", 1), "llm", 2))
	s.turns("a0", "a1", "e1", "e2")
}

// flaky is an API server that rejects or fails some releases.
type flaky struct {
	Releaser
	try, release map[string]error // By the name of the Pod.
}

func (f flaky) Try(ctx context.Context, w *workload.Record) error {
	return cmp.Or(f.try[w.Name], f.Releaser.Try(ctx, w))
}

func (f flaky) Release(ctx context.Context, w *workload.Record) error {
	if err := f.release[w.Name]; err != nil {
		return err
	}
	return f.Releaser.Release(ctx, w)
}

func TestAGangOfWhichOneMemberIsRejectedWaitsAsAWhole(t *testing.T) {
	s := newPlainSite(t, 3)
	s.service.order = []string{"w0", "w1", "b"}
	s.create(ofLeaders(gated("w0", 1), "llm", 2))
	s.create(ofLeaders(gated("w1", 1), "llm", 2))
	s.pod("b", 1)
	willing := s.Releaser
	s.Releaser = flaky{Releaser: willing, try: map[string]error{"w1": apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "w1", errAway)}}
	reported := map[string]string{}
	s.Report = func(r *workload.Record, reason, text string) { reported[r.Name] = reason + ": " + text }
	s.turns("b")
	if !strings.Contains(reported["w1"], "NotReleased: ") || !strings.Contains(reported["w0"], "NotReleased: chem/w1 of its gang is not released") {
		t.Errorf("got the Events %v, want the rejected member, also at the head of its gang", reported)
	}
	s.Releaser = willing
	s.turns("b")
	s.now = s.now.Add(refusedFor)
	s.turns("b", "w0", "w1")
}

// An error in the middle of a turn leaves a part of a gang, which comes first in the next turn. Another controller cannot
// know it from what the API server has, and gives it a turn of its own.
func TestTheRestOfAGangComesFirst(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		s := newPlainSite(t, 3)
		s.service.order = []string{"w0", "w1", "w2"}
		for _, name := range s.service.order {
			s.create(ofLeaders(gated(name, 1), "llm", 3))
		}
		willing := s.Releaser
		s.Releaser = flaky{Releaser: willing, release: map[string]error{"w1": errAway}}
		s.turns("w0")
		s.Releaser = willing
		if restarts {
			s.restart()
		}
		s.service.order = append([]string{"a"}, s.service.order...)
		s.pod("a", 1)
		if restarts {
			s.turns("a", "w0") // Two more have no room.
		} else {
			s.turns("w0", "w1", "w2")
		}
	}
}

// A Pod that waits gets no precedence by becoming a member of a gang that had its turn: its labels are its user's.
func TestAPodThatJoinsAGangAfterItsTurnWaitsForItsOwn(t *testing.T) {
	s := newPlainSite(t, 3)
	s.create(gated("late", 1))
	for _, name := range []string{"w0", "w1"} {
		s.create(ofLeaders(gated(name, 1), "llm", 2))
	}
	s.service.order = []string{"w0", "w1"}
	s.turns("w0", "w1")
	s.pod("other", 1)
	late := &corev1.Pod{}
	if err := s.client.Get(t.Context(), kube.ObjectKey{Namespace: "chem", Name: "late"}, late); err != nil {
		t.Fatal(err)
	}
	if err := s.client.Update(t.Context(), ofLeaders(late, "llm", 2)); err != nil {
		t.Fatal(err)
	}
	s.look()
	s.service.order = []string{"other", "late"}
	s.turns("w0", "w1", "other")
}

func TestAPodThatGrewBetweenThePlanAndItsReleaseHasNotHadItsTurn(t *testing.T) {
	s := newPlainSite(t, 4)
	s.service.order = []string{"j"}
	s.job("j", 1, 1)
	j := &batchv1.Job{}
	if err := s.client.Get(t.Context(), kube.ObjectKey{Namespace: "chem", Name: "j"}, j); err != nil {
		t.Fatal(err)
	}
	many := int32(100)
	j.Spec.Parallelism, j.Spec.Completions = &many, &many
	if err := s.client.Update(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	s.turns() // The informer has not reported it.
	s.turns()
	if why := s.Why("j"); !strings.Contains(why, "100 x (cpu 1)") {
		t.Errorf("got %q, want what it requests now", why)
	}
}
