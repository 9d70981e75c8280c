package workload

import (
	"maps"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// slurmPod is a Pod of slurm-bridge's example hack/examples/pod/sleep.yaml (Apache License 2.0), in our queue too.
func slurmPod() *corev1.Pod {
	p := gatedPod()
	p.Annotations = map[string]string{"slurmjob.slinky.slurm.net/job-name": "pod-single", "slurmjob.slinky.slurm.net/timelimit": "1"}
	p.Spec.SchedulerName = "slurm-bridge-scheduler"
	return p
}

// slurmJob is the Job of its example hack/examples/job/single.yaml, in our queue too.
func slurmJob() *batchv1.Job {
	j := &batchv1.Job{Spec: batchv1.JobSpec{Completions: pointer(int32(1)), Parallelism: pointer(int32(1)), Suspend: pointer(true)}}
	j.Labels = map[string]string{QueueLabel: "gpu"}
	j.Annotations = map[string]string{"slurmjob.slinky.slurm.net/job-name": "job-sleep-single"}
	j.Spec.Template.Spec = corev1.PodSpec{SchedulerName: "slurm-bridge-scheduler", RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{container("cpu", "1", "memory", "100Mi")}}
	return j
}

func TestWhatSlurmBridgeSchedulesIsNotOurs(t *testing.T) {
	only := func(change func(*corev1.Pod)) *corev1.Pod {
		p := gatedPod()
		change(p)
		return p
	}
	for name, p := range map[string]*corev1.Pod{
		"its example":            slurmPod(),
		"one with its scheduler": only(func(p *corev1.Pod) { p.Spec.SchedulerName = "slurm-bridge-scheduler" }),
	} {
		stripped, _ := StripPod(p.DeepCopy())
		if FromPod(p) != nil || FromPod(stripped.(*corev1.Pod)) != nil {
			t.Errorf("%s: got a record, want that Slurm orders and charges it", name)
		}
	}
	if !IsUnscheduled(ungated(func(p *corev1.Pod) { p.Spec.SchedulerName = "slurm-bridge-scheduler" })) {
		t.Error("a Pod that waits in Slurm waits for room in Kubernetes")
	}
	j := slurmJob()
	for range 2 {
		if FromJob(j) != nil {
			t.Errorf("%v: got a record, want that Slurm orders and charges it", j.Annotations)
		}
		j.Annotations = nil // Its scheduler is enough.
	}
	stripped, _ := StripJob(slurmJob())
	if FromJob(stripped.(*batchv1.Job)) != nil {
		t.Error("got a record of a stripped Job")
	}
	j.Spec.Template.Spec.SchedulerName = corev1.DefaultSchedulerName
	if FromJob(j) == nil {
		t.Error("got no record of a Job of the default scheduler")
	}
}

func TestWhatIsBeingChargedStaysSoWhateverItsScheduler(t *testing.T) {
	if RecordOfPod(slurmPod()) == nil || RecordOfJob(slurmJob()) == nil || RecordOfWorkload(slurmWorkload()) == nil {
		t.Error("a scheduler ends a charge")
	}
}

// Each user of a namespace can write them, and would have computed for nothing.
func TestNoLabelAndNoAnnotationOfSlurmBridgeMakesWorkSlurms(t *testing.T) {
	p, j, w := gatedPod(), slurmJob(), sample()
	labels, annotations := map[string]string{"scheduler.slinky.slurm.net/slurm-jobid": "77"}, map[string]string{"slurmjob.slinky.slurm.net/account": "foo"}
	maps.Copy(p.Labels, labels)
	p.Annotations = annotations
	maps.Copy(j.Labels, labels)
	j.Spec.Template.Annotations, j.Spec.Template.Spec.SchedulerName = annotations, corev1.DefaultSchedulerName
	for i := range w.Spec.PodSets {
		w.Spec.PodSets[i].Template.Labels, w.Spec.PodSets[i].Template.Annotations = labels, annotations
	}
	if FromPod(p) == nil || FromJob(j) == nil || From(w) == nil {
		t.Errorf("got the records %v, %v and %v, want that all three are ordered and charged", FromPod(p), FromJob(j), From(w))
	}
}

// slurmWorkload is Kueue's Workload of such a Job.
func slurmWorkload() *Workload {
	w := sample()
	for i := range w.Spec.PodSets {
		w.Spec.PodSets[i].Template.Spec.SchedulerName = "slurm-bridge-scheduler"
	}
	return w
}

func TestAWorkloadOfSlurmBridgeIsNotOurs(t *testing.T) {
	w := slurmWorkload()
	stripped, _ := Strip(w.DeepCopy())
	if From(w) != nil || From(stripped.(*Workload)) != nil {
		t.Errorf("got a record of %v, want that Slurm orders and charges it", w.Spec.PodSets)
	}
	w.Spec.PodSets[0].Template.Spec.SchedulerName = ""
	if From(w) == nil {
		t.Error("got no record of a Workload of which slurm-bridge schedules a part")
	}
	if From(sample()) == nil {
		t.Error("got no record of another one")
	}
}

// Logical names of Kueue's deviceClassMappings, in the evaluation of a waiting Workload and in its admission.
func TestClaimedDevicesCountByTheirLogicalNames(t *testing.T) {
	asked := TRES{"cpu": 17, "mem": 1024 + 64 + 3*2048, "gres/gpu": 6, "gres/example.com/fpga": 3}
	want := func(what string, got TRES, whole, memory float64) {
		t.Helper()
		for name, amount := range map[string]float64{"gres/whole-gpus": whole, "gres/gpu.example.com/memory": memory, "cpu": asked["cpu"], "gres/gpu": asked["gres/gpu"]} {
			if got[name] != amount {
				t.Errorf("%s: got %v of %s, want %v", what, got[name], name, amount)
			}
		}
	}
	w := sample()
	want("before Kueue has evaluated it", From(w).TRES, 0, 0)
	w.Status.ResourceRequests = []kueue.PodSetRequest{{Name: "driver", Resources: list("cpu", "2")},
		{Name: "worker", Resources: list("cpu", "15", "whole-gpus", "6", "gpu.example.com/memory", "240")}}
	want("in the queue", From(w).TRES, 6, 240)
	stripped, _ := Strip(w.DeepCopy())
	want("in the queue, stripped", From(stripped.(*Workload)).TRES, 6, 240)
	w.Status.ResourceRequests = nil
	w.Status.Admission = &kueue.Admission{ClusterQueue: "cq", PodSetAssignments: []kueue.PodSetAssignment{
		{Name: "worker", Count: pointer(int32(3)), ResourceUsage: list("cpu", "15", "whole-gpus", "6", "gpu.example.com/memory", "240", "pods", "3")}}}
	w.Status.ReclaimablePods = []kueue.ReclaimablePod{{Name: "worker", Count: 1}}
	r := From(w)
	want("admitted", r.TRES, 6, 240)
	if charged := r.Usage; charged["gres/whole-gpus"] != 4 || charged["gres/gpu.example.com/memory"] != 160 || len(charged) != 3 {
		t.Errorf("got %v charged, want two thirds of what Kueue counts, and no Pods", charged)
	}
}

func TestAQuotaOfALogicalNameIsCapacity(t *testing.T) {
	queue := &kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{ResourceGroups: []kueue.ResourceGroup{{Flavors: []kueue.FlavorQuotas{{Resources: []kueue.ResourceQuota{
		{Name: "whole-gpus", NominalQuota: list("x", "8")["x"]}, {Name: "pods", NominalQuota: list("x", "50")["x"]}}}}}}}}
	if tres, pods := QuotaOf(queue); tres["gres/whole-gpus"] != 8 || len(tres) != 1 || pods != 50 {
		t.Errorf("got %v and %v Pods, want 8 whole GPUs and 50 Pods", tres, pods)
	}
}

func TestTheFieldOfABoostIsRead(t *testing.T) {
	if r := From(sample()); r.Field == nil || *r.Field != 7 {
		t.Errorf("got %v, want 7", r.Field)
	}
	w := sample()
	w.Spec.PriorityBoost = nil
	if r := From(w); r.Field != nil {
		t.Errorf("got %d, want none", *r.Field)
	}
}
