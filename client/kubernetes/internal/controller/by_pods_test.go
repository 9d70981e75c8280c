package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/workload"
)

// startWith starts a Job whose template requests nothing; a LimitRange gives each of its Pods so many CPUs.
func (s *plainSite) startWith(name string, pods int, cpus int64) {
	s.t.Helper()
	s.service.order = append(s.service.order, name)
	s.job(name, int32(pods), 0)
	s.turns(name)
	j := s.jobs()[0]
	isController := true
	for i := range pods {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(name, i), OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: j.UID, Controller: &isController}}},
			Spec: template(cpus)}
		s.create(p)
		s.bindOne(p)
	}
	j.Status.StartTime = &metav1.Time{Time: s.now}
	s.updateStatus(&j)
	s.look()
}

// complete ends the only Job, with its two Pods, now.
func (s *plainSite) complete() {
	for _, p := range s.pods() {
		p.Status.Phase = corev1.PodSucceeded
		s.updateStatus(&p)
	}
	j := s.jobs()[0]
	j.Status.Succeeded, j.Status.CompletionTime = 2, &metav1.Time{Time: s.now}
	j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.now)}}
	s.updateStatus(&j)
}

func TestAJobIsChargedWhatItsPodsRequestBesideItsTemplate(t *testing.T) {
	for _, how := range []string{"deleted", "completed", "completed while no controller runs"} {
		s := newPlainSite(t, 4)
		s.startWith("j", 2, 2)
		// Pods that claim to be of the Job, larger ones.
		for _, namespace := range []string{"chem", "other"} {
			p := s.pods()[0]
			p.Namespace, p.Name, p.UID, p.Spec = namespace, "claims", "claims", template(100)
			onPod(s.Book, s.Machine)(&p, true)
			onPod(s.Book, s.Machine)(&p, false)
		}
		a, warned := s.accounting(), ""
		a.turn(t.Context())
		s.now = s.now.Add(1000 * time.Second)
		a.turn(t.Context())
		if how == "deleted" {
			s.remove(&s.jobs()[0])
			a.turn(t.Context())
			s.now = s.now.Add(400 * time.Second)
			for _, p := range s.pods() {
				s.remove(&p)
			}
		} else {
			s.now = s.now.Add(400 * time.Second)
			s.complete()
			if how != "completed" {
				s.restart()
				a = s.accounting()
			}
			s.look()
		}
		a.Warn = func(_ *workload.Record, reason, text string) { warned += reason + ": " + text }
		for range 5 {
			a.turn(t.Context())
		}
		if got := s.cpuSeconds(); got != 2*2*1400 || warned != "" {
			t.Errorf("%s: got %d CPU seconds charged and %q, want %d", how, got, warned, 2*2*1400)
		}
	}
}

func TestWhatPodsOfDeletedJobsRequestIsForgotten(t *testing.T) {
	s := newPlainSite(t, 4)
	s.startWith("j", 2, 2)
	j, pods := s.jobs()[0], s.pods()
	s.remove(&j)
	if len(s.Machine.least) != 1 {
		t.Fatalf("got %v, want what the running Pods request", s.Machine.least)
	}
	for _, p := range pods {
		s.remove(&p)
	}
	if len(s.Machine.least) != 0 {
		t.Errorf("got %v, want none", s.Machine.least)
	}
}

// limitRange is a LimitRange whose containers request so much by default.
func limitRange(name, cpus string) *corev1.LimitRange {
	requests := corev1.ResourceList{"cpu": resource.MustParse(cpus)}
	return &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: "chem", Name: name},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, DefaultRequest: requests}}}}
}

func TestAJobWithoutRequestsIsPlannedByTheDefaultsOfALimitRange(t *testing.T) {
	s := newPlainSite(t, 4)
	limits := onLimitRange(s.Book)
	elsewhere := limitRange("large", "100")
	elsewhere.Namespace = "other"
	limits(elsewhere, true)
	limits(limitRange("small", "1"), true)
	s.service.order = []string{"j", "k"}
	for _, name := range s.service.order {
		s.job(name, 2, 0)
	}
	for i := range s.jobs() {
		j := s.jobs()[i]
		j.Spec.Template.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
		if err := s.client.Update(t.Context(), &j); err != nil {
			t.Fatal(err)
		}
	}
	s.look()
	limits(limitRange("large", "2"), true) // After the Jobs: of two defaults the larger one counts.
	asked := func(name string) float64 {
		r, _ := s.Book.Get(types.UID(name))
		return s.Book.Job(r).GetCpus()
	}
	if got := asked("j"); got != 4 {
		t.Errorf("got a Job of two Pods with %v CPUs in priorityd, want 4", got)
	}
	s.turns("j")
	if why := s.Why("k"); !strings.Contains(why, "2 x (cpu 2), of which 0 fit now") {
		t.Errorf("got %q, want what k waits for", why)
	}
	limits(limitRange("large", "2"), false)
	if got := asked("k"); got != 2 {
		t.Errorf("got %v CPUs once there is one LimitRange, want 2", got)
	}
	limits(limitRange("small", "1"), false)
	if got := asked("k"); got != 0 {
		t.Errorf("got %v CPUs once there is no LimitRange, want none", got)
	}
}

func TestALimitRangeThatCameLaterChangesNoCharge(t *testing.T) {
	s := newPlainSite(t, 4)
	s.startWith("j", 2, 2)
	a := s.accounting()
	a.turn(t.Context())
	onLimitRange(s.Book)(limitRange("large", "3"), true)
	s.now = s.now.Add(1000 * time.Second)
	a.turn(t.Context())
	s.complete()
	s.look()
	for range 5 {
		a.turn(t.Context())
	}
	if got := s.cpuSeconds(); got != 2*2*1000 {
		t.Errorf("got %d CPU seconds charged, want %d", got, 2*2*1000)
	}
}
