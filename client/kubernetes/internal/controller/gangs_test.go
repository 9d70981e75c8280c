package controller

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// ofPodGroup makes a Pod a member of a PodGroup.
func ofPodGroup(p *corev1.Pod, group string) *corev1.Pod {
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	return p
}

// ofLeaders makes a Pod a member of a group of a LeaderWorkerSet, with the labels and annotations of its Pods.
func ofLeaders(p *corev1.Pod, name string, size int) *corev1.Pod {
	p.Labels["leaderworkerset.sigs.k8s.io/name"] = name
	p.Labels["leaderworkerset.sigs.k8s.io/group-index"] = "0"
	p.Annotations = map[string]string{"leaderworkerset.sigs.k8s.io/size": strconv.Itoa(size)}
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

// The Pods of all Jobs of a JobSet, with the labels that it writes.
func TestAJobSetHasOneTurn(t *testing.T) {
	s := newPlainSite(t, 3)
	labels := map[string]string{"jobset.sigs.k8s.io/jobset-uid": "js", "jobset.sigs.k8s.io/global-replicas": "2"}
	job := func(name string, pods int32) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods,
			Suspend: new(bool), Template: corev1.PodTemplateSpec{Spec: gated("", 1).Spec}}}
		j.Status.StartTime = &metav1.Time{Time: s.now}
		s.create(j)
		return j
	}
	pod := func(name string) {
		p := gated(name, 1)
		p.Labels["jobset.sigs.k8s.io/jobset-uid"] = "js"
		s.create(p)
		s.service.order = append(s.service.order, name)
	}
	driver := job("driver", 1)
	pod("d0")
	s.turns("driver") // The second Job is not created yet.
	job("workers", 2)
	pod("w0")
	s.turns("driver", "workers")
	pod("w1")
	s.turns("driver", "workers", "d0", "w0", "w1")
	onJob(s.Book, s.Machine)(driver, false)
	if len(s.Book.gangs) != 1 {
		t.Errorf("got %d gangs, want one", len(s.Book.gangs))
	}
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
