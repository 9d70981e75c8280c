package controller

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
)

// suspend suspends or resumes a Job, as its owner and the Job controller do.
func (s *plainSite) suspend(name string, suspended bool) {
	s.t.Helper()
	j := &batchv1.Job{}
	if err := s.client.Get(s.t.Context(), kube.ObjectKey{Namespace: "chem", Name: name}, j); err != nil {
		s.t.Fatal(err)
	}
	j.Spec.Suspend = &suspended
	if err := s.client.Update(s.t.Context(), j); err != nil {
		s.t.Fatal(err)
	}
	status := corev1.ConditionFalse
	if suspended {
		status = corev1.ConditionTrue
	} else {
		j.Status.StartTime = &metav1.Time{Time: s.now}
	}
	j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: status, LastTransitionTime: metav1.NewTime(s.now)}}
	s.updateStatus(j)
	s.look()
}

// remove deletes an object at once; the informers report it.
func (s *plainSite) remove(object kube.Object) {
	s.t.Helper()
	if err := s.client.Delete(s.t.Context(), object); err != nil {
		s.t.Fatal(err)
	}
	switch object := object.(type) {
	case *corev1.Pod:
		onPod(s.Book, s.Machine)(object, false)
	case *batchv1.Job:
		onJob(s.Book, s.Machine)(object, false)
	}
}

// runsAJob is a site with one Job, which runs with so many Pods of one CPU, and its accounting.
func runsAJob(t *testing.T, pods int32) (*plainSite, *Accounting) {
	s := newPlainSite(t, 3)
	s.service.order = []string{"j"}
	s.job("j", pods, 1)
	s.turns("j")
	s.bind()
	return s, s.accounting()
}

// cpuSeconds is the sum of all records, without replaced ones.
func (s *plainSite) cpuSeconds() int64 {
	replaced := map[string]bool{}
	for _, record := range s.service.records {
		replaced[record.ReplacesRecordId] = true
	}
	sum := int64(0)
	for id, record := range s.service.records {
		if !replaced[id] {
			sum += (record.EndTime.Seconds - record.StartTime.Seconds) * int64(record.Tres["cpu"])
		}
	}
	return sum
}

// Three Pods run for 1000 seconds. Then their Job is deleted, left behind or suspended; two of them take 400 seconds to end
// and one 1000, all of which is charged, also by another controller, which knows only when the last of them has ended.
func TestAJobIsChargedUntilItsLastPodHasEnded(t *testing.T) {
	for _, how := range []string{"deleted", "deleted, its Pods without owner", "suspended"} {
		for _, restarts := range []bool{false, true} {
			if restarts && how == "deleted, its Pods without owner" {
				continue
			}
			s, a := runsAJob(t, 3)
			a.turn(t.Context())
			s.now = s.now.Add(1000 * time.Second)
			if how == "suspended" {
				s.suspend("j", true)
			} else {
				s.remove(&s.jobs()[0])
			}
			for i, p := range s.pods() {
				if how == "deleted, its Pods without owner" {
					p.OwnerReferences = nil
					onPod(s.Book, s.Machine)(&p, true)
				}
				if a.turn(t.Context()); i < 2 {
					continue
				}
				s.now = s.now.Add(400 * time.Second)
				s.remove(&s.pods()[0])
				s.remove(&s.pods()[0])
				a.turn(t.Context())
				a.turn(t.Context())
				if s.now = s.now.Add(300 * time.Second); restarts {
					s.restart()
					a = s.accounting()
				}
				s.now = s.now.Add(300 * time.Second)
				s.remove(&p)
			}
			for range 5 {
				a.turn(t.Context())
			}
			if got := s.cpuSeconds(); got != 3000+3*400+600 {
				t.Errorf("%s, another controller %v: got %d CPU seconds charged, want %d", how, restarts, got, 3000+3*400+600)
			}
		}
	}
}

// The Pod's kubelet is dead: nothing reports its end.
func TestADeletedJobsPodOnADeadNodeIsChargedToTheEndOfItsGracePeriod(t *testing.T) {
	s, a := runsAJob(t, 1)
	a.turn(t.Context())
	s.now = s.now.Add(1000 * time.Second)
	s.remove(&s.jobs()[0])
	p := s.pods()[0]
	p.DeletionTimestamp = &metav1.Time{Time: s.now.Add(30 * time.Second)}
	onPod(s.Book, s.Machine)(&p, true)
	for range 20 {
		a.turn(t.Context())
		s.now = s.now.Add(10 * time.Second)
	}
	if got := s.cpuSeconds(); got < 1000 || got > 1000+30+60 {
		t.Errorf("got %d CPU seconds charged, want at most those to the end of the grace period, and a minute", got)
	}
}

// priorityd is away while a Job is suspended and released again.
func TestAnAttemptThatIsOverBeforeItIsChargedIsNotLost(t *testing.T) {
	s, a := runsAJob(t, 1)
	a.turn(t.Context())
	s.service.down, s.service.away = true, 1000
	s.now = s.now.Add(1000 * time.Second)
	s.suspend("j", true)
	a.turn(t.Context())
	s.now = s.now.Add(50 * time.Second)
	s.suspend("j", false)
	s.now = s.now.Add(100 * time.Second)
	s.service.down, s.service.away = false, 0
	for range 4 {
		a.turn(t.Context())
	}
	s.suspend("j", true)
	s.remove(&s.pods()[0])
	for range 4 {
		a.turn(t.Context())
	}
	if got := s.cpuSeconds(); got != 1100 {
		t.Errorf("got %d CPU seconds charged, want 1100 of both attempts", got)
	}
}

func TestAJobThatIsDeletedAsItStartsIsChargedForItsGracePeriod(t *testing.T) {
	s, a := runsAJob(t, 1)
	s.remove(&s.jobs()[0])
	a.turn(t.Context())
	s.now = s.now.Add(400 * time.Second)
	a.turn(t.Context())
	s.remove(&s.pods()[0])
	for range 4 {
		a.turn(t.Context())
	}
	if got := s.cpuSeconds(); got != 400 {
		t.Errorf("got %d CPU seconds charged, want 400", got)
	}
}
