package workload

import (
	"reflect"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	pb "priorityd.internal/client/priorityv1"
)

// gatedPod waits for its turn in the queue `gpu`, and no longer than 90 seconds.
func gatedPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "p", Namespace: "n", Name: "pod", ResourceVersion: "7", CreationTimestamp: metav1.Unix(100, 0),
			Labels:      map[string]string{QueueLabel: "gpu", UserLabel: "u-amy_40site-u", "other": "x"},
			Annotations: map[string]string{ForecastAnnotation: "later", "other": "x"}, Finalizers: []string{Finalizer}},
		Spec: corev1.PodSpec{ActiveDeadlineSeconds: pointer(int64(90)), PriorityClassName: "high",
			SchedulingGates: []corev1.PodSchedulingGate{{Name: Gate}}, NodeSelector: map[string]string{"disk": "ssd"},
			Containers: []corev1.Container{container("cpu", "500m", "nvidia.com/gpu", "2")}, InitContainers: []corev1.Container{container("cpu", "1")}},
	}
}

func ungated(change func(*corev1.Pod)) *corev1.Pod {
	p := gatedPod()
	p.Spec.SchedulingGates = nil
	change(p)
	return p
}

func ofJob(p *corev1.Pod) {
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", UID: "j", Controller: pointer(true)}}
}

func TestAGatedPodWaits(t *testing.T) {
	r := FromPod(gatedPod())
	job := r.Job(Place{User: r.User, Partition: r.ClusterQueue, QOS: r.Class})
	if !r.Pending() || job.State != pb.JobState_JOB_STATE_PENDING || job.User != "amy@site" || job.Partitions[0] != "gpu" || job.Qos[0] != "high" ||
		job.TimeLimit.Seconds != 90 || job.Name != "n/pod" || !reflect.DeepEqual(r.TRES, TRES{"cpu": 1, "gres/gpu": 2}) || !r.Finalized {
		t.Errorf("got %+v as %v", r, job)
	}
}

func TestARequestOfZeroNamesNoTRES(t *testing.T) {
	nothing := container("cpu", "1", "example.com/none", "0")
	p, j, w := gatedPod(), suspendedJob(), sample()
	p.Spec.InitContainers, p.Spec.Containers = nil, []corev1.Container{nothing}
	j.Spec.Template.Spec.Containers = []corev1.Container{nothing}
	w.Spec.PodSets[0].Template.Spec.Containers = []corev1.Container{nothing}
	for _, r := range []*Record{FromPod(p), FromJob(j), From(w)} {
		if _, named := r.TRES["gres/example.com/none"]; named || r.TRES["cpu"] == 0 {
			t.Errorf("%s: got %v, want no TRES of which nothing is requested", r.Kind, r.TRES)
		}
	}
}

func TestWhoseTurnAPodIs(t *testing.T) {
	for _, c := range []struct {
		name string
		pod  *corev1.Pod
		ours bool
	}{
		{"one with a gate", gatedPod(), true},
		{"one whose gate somebody took off", ungated(func(*corev1.Pod) {}), true},
		{"one without the label", ungated(func(p *corev1.Pod) { p.Labels = nil }), false},
		{"one of Kueue's", ungated(func(p *corev1.Pod) { p.Labels["kueue.x-k8s.io/queue-name"] = "q" }), false},
		{"one of a Job that is queued as a whole", ungated(ofJob), false},
		{"one of a Job that had a gate of its own", ungated(func(p *corev1.Pod) {
			ofJob(p)
			p.Annotations = map[string]string{ReleasedAnnotation: "1970-01-01T00:03:20Z"}
		}), true},
	} {
		if got := FromPod(c.pod) != nil; got != c.ours {
			t.Errorf("%s: got ours %v, want %v", c.name, got, c.ours)
		}
	}
}

func TestAPodThatOthersHoldTooIsHeld(t *testing.T) {
	p := gatedPod()
	p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "another"})
	if r := FromPod(p); !r.Held || r.Job(Place{}).Hold != pb.Hold_HOLD_USER {
		t.Errorf("got %+v, want it held", r)
	}
}

func TestLifeOfAPod(t *testing.T) {
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Unix(210, 0)}
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Unix(330, 0)}
	ended := func(at int64) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.Unix(at, 0)}}}
	}
	for _, c := range []struct {
		name                      string
		status                    corev1.PodStatus
		state                     pb.JobState
		reserved, admitted, ended int64
	}{
		{"released", corev1.PodStatus{}, pb.JobState_JOB_STATE_RUNNING, 200, 200, 0},
		{"runs", corev1.PodStatus{Conditions: []corev1.PodCondition{scheduled}}, pb.JobState_JOB_STATE_RUNNING, 200, 200, 0},
		{"is over", corev1.PodStatus{Phase: corev1.PodSucceeded, Conditions: []corev1.PodCondition{scheduled},
			ContainerStatuses: []corev1.ContainerStatus{ended(300), ended(320), ended(310)}}, pb.JobState_JOB_STATE_COMPLETED, 200, 200, 320},
		{"failed before a container began", corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{scheduled, ready}},
			pb.JobState_JOB_STATE_FAILED, 200, 200, 330},
		{"failed in an init container", corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{scheduled},
			InitContainerStatuses: []corev1.ContainerStatus{ended(400)}}, pb.JobState_JOB_STATE_FAILED, 200, 200, 400},
		{"is over with its sidecar", corev1.PodStatus{Phase: corev1.PodSucceeded, Conditions: []corev1.PodCondition{scheduled},
			InitContainerStatuses: []corev1.ContainerStatus{ended(345)}, ContainerStatuses: []corev1.ContainerStatus{ended(300)}},
			pb.JobState_JOB_STATE_COMPLETED, 200, 200, 345},
	} {
		p := ungated(func(p *corev1.Pod) { p.Annotations = map[string]string{ReleasedAnnotation: "1970-01-01T00:03:20Z"} })
		p.Status = c.status
		stripped, _ := StripPod(p)
		r := FromPod(stripped.(*corev1.Pod))
		if got := r.Job(Place{}).State; got != c.state || second(r.Reserved) != c.reserved || second(r.Admitted) != c.admitted || second(r.Ended) != c.ended {
			t.Errorf("%s: got %v from %d, admitted %d, ended %d", c.name, got, second(r.Reserved), second(r.Admitted), second(r.Ended))
		}
	}
}

// suspendedJob has three Pods at a time and seven completions.
func suspendedJob() *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "j", Namespace: "n", Name: "job", CreationTimestamp: metav1.Unix(100, 0),
		Labels: map[string]string{QueueLabel: "cpu", "other": "x"}},
		Spec: batchv1.JobSpec{Suspend: pointer(true), Parallelism: pointer(int32(3)), Completions: pointer(int32(7)), ActiveDeadlineSeconds: pointer(int64(60)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{container("cpu", "2")}}}}}
}

func jobIs(kind batchv1.JobConditionType, status corev1.ConditionStatus, at int64) batchv1.JobCondition {
	return batchv1.JobCondition{Type: kind, Status: status, LastTransitionTime: metav1.Unix(at, 0)}
}

func TestLifeOfAJob(t *testing.T) {
	start := pointer(metav1.Unix(210, 0))
	paused, resumed := jobIs(batchv1.JobSuspended, corev1.ConditionTrue, 150), jobIs(batchv1.JobSuspended, corev1.ConditionFalse, 210)
	for _, c := range []struct {
		name            string
		suspend         bool
		status          batchv1.JobStatus
		state           pb.JobState
		admitted, ended int64
		cpus            float64
	}{
		{"waits", true, batchv1.JobStatus{Conditions: []batchv1.JobCondition{paused}}, pb.JobState_JOB_STATE_PENDING, 0, 150, 6},
		{"released, and the Job controller has not seen it", false, batchv1.JobStatus{Conditions: []batchv1.JobCondition{paused}, StartTime: start},
			pb.JobState_JOB_STATE_RUNNING, 0, 150, 6},
		{"runs", false, batchv1.JobStatus{Conditions: []batchv1.JobCondition{resumed}, StartTime: start}, pb.JobState_JOB_STATE_RUNNING, 210, 0, 6},
		{"has two Pods left", false, batchv1.JobStatus{StartTime: start, Succeeded: 5}, pb.JobState_JOB_STATE_RUNNING, 210, 0, 4},
		{"is over", false, batchv1.JobStatus{StartTime: start, Succeeded: 7, Conditions: []batchv1.JobCondition{resumed,
			jobIs(batchv1.JobComplete, corev1.ConditionTrue, 400)}}, pb.JobState_JOB_STATE_COMPLETED, 210, 400, 0},
		{"is over, and its condition came later", false, batchv1.JobStatus{StartTime: start, CompletionTime: pointer(metav1.Unix(399, 0)), Succeeded: 7,
			Conditions: []batchv1.JobCondition{resumed, jobIs(batchv1.JobComplete, corev1.ConditionTrue, 400)}}, pb.JobState_JOB_STATE_COMPLETED, 210, 399, 0},
		{"failed", false, batchv1.JobStatus{StartTime: start, Conditions: []batchv1.JobCondition{jobIs(batchv1.JobFailed, corev1.ConditionTrue, 270)}},
			pb.JobState_JOB_STATE_FAILED, 210, 270, 6},
	} {
		j := suspendedJob()
		j.Spec.Suspend, j.Status = &c.suspend, c.status
		r := FromJob(j)
		if got := r.Job(Place{}).State; got != c.state || second(r.Admitted) != c.admitted || second(r.Ended) != c.ended || r.Usage["cpu"] != c.cpus {
			t.Errorf("%s: got %v, admitted %d, ended %d, holding %v", c.name, got, second(r.Admitted), second(r.Ended), r.Usage)
		}
		if r.TRES["cpu"] != 6 || r.Pods != 3 || r.TimeLimit != time.Minute {
			t.Errorf("%s: got it asking for %v in %d Pods for %v", c.name, r.TRES, r.Pods, r.TimeLimit)
		}
	}
}

func TestAJobWhosePodsHaveGatesIsNotQueuedItself(t *testing.T) {
	j := suspendedJob()
	j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: Gate}}
	if r := FromJob(j); r != nil {
		t.Errorf("got %+v, want none", r)
	}
}

func TestStrippedPodsAndJobsHaveTheSameRecords(t *testing.T) {
	p := gatedPod()
	p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
		Message: "long", LastTransitionTime: metav1.Unix(210, 0)}}}
	want := FromPod(p)
	stripped, _ := StripPod(p.DeepCopy())
	if got := FromPod(stripped.(*corev1.Pod)); !reflect.DeepEqual(got, want) || got.Forecast != "later" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	j := suspendedJob()
	wanted := FromJob(j)
	strippedJob, _ := StripJob(j.DeepCopy())
	if got := FromJob(strippedJob.(*batchv1.Job)); !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %+v, want %+v", got, wanted)
	}
	if len(strippedJob.(*batchv1.Job).Labels) != 1 {
		t.Error("labels are kept that nobody reads")
	}
}

func TestALongNameIsReadWhereThePolicyStampedIt(t *testing.T) {
	for _, c := range []struct{ label, annotation, want string }{
		{"long", "oidc:somebody", "oidc:somebody"}, {"u-amy-u", "victim", "amy"}, {"none", "victim", ""}, {"", "victim", ""}, {"long", "", ""},
		{"long", "a\xff", ""}, {"long", "a\nb", ""}, {"long", strings.Repeat("a", 1025), ""}, // Not names, which would fail the call with all jobs.
	} {
		p := gatedPod()
		p.Labels[UserLabel] = c.label
		p.Annotations[UserAnnotation] = c.annotation
		if stripped, err := StripPod(p); err != nil || FromPod(stripped.(*corev1.Pod)).User != c.want {
			t.Errorf("%+v: got %q, %v", c, FromPod(p).User, err)
		}
	}
}

// The API server takes each number of seconds that is not negative.
func TestALongTimeLimitIsNoShortOne(t *testing.T) {
	for _, limit := range []int64{1<<31 - 1, 1 << 31, 1<<55 + 60, 1<<63 - 1} {
		j := suspendedJob()
		j.Spec.ActiveDeadlineSeconds = &limit
		if got := FromJob(j).TimeLimit; got != (1<<31-1)*time.Second {
			t.Errorf("%d seconds: got %v, want 68 years", limit, got)
		}
	}
}

func TestATurnAtATimeThatCannotBeIsNone(t *testing.T) {
	for _, text := range []string{"1970-01-01T00:01:00Z", "2999-01-01T00:00:00Z", "soon"} {
		p := ungated(func(p *corev1.Pod) { p.Annotations = map[string]string{ReleasedAnnotation: text} })
		if r := FromPod(p); second(r.Reserved) != 100 {
			t.Errorf("%s: got %v, want the time of its creation", text, r.Reserved)
		}
	}
}

func TestPodsThatTakeTheirTimeToEndAreChargedBesideTheirSuccessors(t *testing.T) {
	j := suspendedJob()
	j.Spec.Parallelism, j.Spec.Completions, j.Status.Active = pointer(int32(3)), pointer(int32(9)), 3
	one := podRequests(&j.Spec.Template)
	for terminating, want := range map[int32]int32{0: 3, 2: 5} {
		j.Status.Terminating = &terminating
		if got := FromJob(j).Usage; !reflect.DeepEqual(got, Times(one, want)) {
			t.Errorf("%d that end: got %v, want %d Pods", terminating, got, want)
		}
	}
}

func TestIndexesThatFailedPermanentlyHaveNoSuccessors(t *testing.T) {
	for _, c := range []struct {
		failed string
		want   int32
	}{{"", 3}, {"7", 3}, {"0-4,6,8-9", 1}, {"1-4,9", 3}, {"0-9", 0}, {"odd,-,3-", 3}} {
		j := suspendedJob()
		j.Spec.Completions, j.Spec.Parallelism = pointer(int32(10)), pointer(int32(3))
		j.Status.Succeeded, j.Status.FailedIndexes = 1, &c.failed
		if got := StillWanted(j); got != c.want {
			t.Errorf("%q: got %d, want %d", c.failed, got, c.want)
		}
	}
}

// As the API server completes the requests of a Pod of the template.
func TestATemplateWithLimitsOfThePodAsAWholeRequestsThem(t *testing.T) {
	limits := func(cpu, memory string) *corev1.ResourceRequirements {
		return &corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory)}}
	}
	container := corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("2")}}}
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Resources: limits("8", "1Gi"), Containers: []corev1.Container{container, container}}}
	each := podRequests(template)
	if each.Cpu().Value() != 4 || each.Memory().Value() != 1<<30 {
		t.Errorf("got %v, want the containers' CPUs and the limit of memory", each)
	}
	template.Spec.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("6")}
	if each := podRequests(template); each.Cpu().Value() != 6 || each.Memory().Value() != 1<<30 {
		t.Errorf("got %v, want the requested CPUs and the limit of memory", each)
	}
}

// As the API server completes the Pods of the template: limits are requests, and a LimitRange adds what is missing then, to init
// containers too.
func TestALimitRangeGivesContainersTheRequestsTheyDoNotState(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	sidecar, limited := container("memory", "1Gi"), corev1.Container{}
	sidecar.RestartPolicy = &always
	limited.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("3")}
	j := suspendedJob()
	j.Spec.Template.Spec.InitContainers = []corev1.Container{sidecar}
	j.Spec.Template.Spec.Containers = []corev1.Container{limited, container("cpu", "0"), container()}
	defaults := DefaultRequests(&corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypePod, Max: corev1.ResourceList{"cpu": resource.MustParse("50")}},
		{Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{"cpu": resource.MustParse("5"), "memory": resource.MustParse("2Gi")}}}}})
	stripped, _ := StripJob(j.DeepCopy())
	for _, r := range []*Record{FromJob(j), FromJob(stripped.(*batchv1.Job))} {
		with := r.WithDefaults(defaults)
		if each := with.Plain.Each; each.Cpu().Value() != 5+3+0+5 || each.Memory().Value() != (1+2+2+2)<<30 {
			t.Errorf("got %v, want 13 CPUs and 7 GiB", each)
		}
		if with.TRES["cpu"] != 3*13 || with.Usage["cpu"] != r.Usage["cpu"] || r.TRES["cpu"] != 3*3 {
			t.Errorf("got %v for its Pods, charged %v, want 39 CPUs planned, and 9 charged", with.TRES, with.Usage)
		}
		if bare := with.WithDefaults(nil); !reflect.DeepEqual(bare.TRES, r.TRES) {
			t.Errorf("got %v without defaults, want %v", bare.TRES, r.TRES)
		}
	}
}
