package workload

import (
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
)

func pointer[T any](value T) *T { return &value }

func list(quantities ...string) corev1.ResourceList {
	resources := corev1.ResourceList{}
	for i := 0; i < len(quantities); i += 2 {
		resources[corev1.ResourceName(quantities[i])] = resource.MustParse(quantities[i+1])
	}
	return resources
}

func container(quantities ...string) corev1.Container {
	return corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Requests: list(quantities...)}}
}

// sample is a Workload of a driver and three workers with GPUs.
func sample() *Workload {
	driver := corev1.PodSpec{
		Containers:     []corev1.Container{container("cpu", "500m", "memory", "1Gi")},
		InitContainers: []corev1.Container{container("cpu", "2")},
		Overhead:       list("memory", "64Mi"),
	}
	sidecar := container("cpu", "1")
	sidecar.RestartPolicy = pointer(corev1.ContainerRestartPolicyAlways)
	limited := corev1.Container{Resources: corev1.ResourceRequirements{
		Limits: list("nvidia.com/gpu", "2", "Example.com/Fpga", "1", "ephemeral-storage", "1Gi")}}
	worker := corev1.PodSpec{Containers: []corev1.Container{container("cpu", "4", "memory", "2Gi"), limited},
		InitContainers: []corev1.Container{sidecar}}
	return &Workload{
		ObjectMeta: metav1.ObjectMeta{UID: "u", Namespace: "n", Name: "w", CreationTimestamp: metav1.Unix(100, 0),
			Labels:      map[string]string{UserLabel: "u-amy_40site-u", "other": "x"},
			Annotations: map[string]string{BoostAnnotation: "7", ForecastAnnotation: "later", "other": "x"}, Finalizers: []string{"k", Finalizer}},
		Spec: WorkloadSpec{WorkloadSpec: kueue.WorkloadSpec{
			QueueName: "lq", Priority: pointer(int32(5)), Active: pointer(false), MaximumExecutionTimeSeconds: pointer(int32(90)),
			PriorityClassRef: kueue.NewWorkloadPriorityClassRef("high"),
			PodSets: []kueue.PodSet{
				{Name: "driver", Count: 1, Template: corev1.PodTemplateSpec{Spec: driver}},
				{Name: "worker", Count: 3, Template: corev1.PodTemplateSpec{Spec: worker}},
			}}, PriorityBoost: &PriorityBoost{Value: 7}},
	}
}

func isSince(kind string, status metav1.ConditionStatus, second int64) metav1.Condition {
	return metav1.Condition{Type: kind, Status: status, Reason: "R", LastTransitionTime: metav1.Unix(second, 0)}
}

func TestRequestsAreThoseOfPodsTimesCount(t *testing.T) {
	r := From(sample())
	// The driver's init container requests more CPUs than its container; the workers have a sidecar.
	want := TRES{"cpu": 2 + 3*5, "mem": 1024 + 64 + 3*2048, "gres/gpu": 6, "gres/example.com/fpga": 3}
	if !reflect.DeepEqual(r.TRES, want) || r.Pods != 4 {
		t.Errorf("got %v of %d pods, want %v of 4", r.TRES, r.Pods, want)
	}
}

func TestStrippedWorkloadHasTheSameRecord(t *testing.T) {
	w := sample()
	w.Status.Conditions = []metav1.Condition{isSince(kueue.WorkloadQuotaReserved, metav1.ConditionTrue, 200),
		isSince(kueue.WorkloadAdmitted, metav1.ConditionTrue, 201)}
	w.Status.Admission = &kueue.Admission{ClusterQueue: "cq", PodSetAssignments: []kueue.PodSetAssignment{
		{Name: "worker", Count: pointer(int32(3)), ResourceUsage: list("cpu", "15")}}}
	want := From(w)
	stripped, _ := Strip(w.DeepCopy())
	if got := From(stripped.(*Workload)); !reflect.DeepEqual(got, want) || got.Forecast != "later" {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(stripped.(*Workload).Labels) != 1 {
		t.Error("labels are kept that nobody reads")
	}
}

func TestJobSaysWhatPrioritydWants(t *testing.T) {
	job := From(sample()).Job(Place{Account: "chem", User: "amy@site", Partition: "cq", QOS: "high"})
	if job.JobId != "u" || job.Name != "n/w" || job.User != "amy@site" || job.Account != "chem" ||
		!reflect.DeepEqual(job.Partitions, []string{"cq"}) || !reflect.DeepEqual(job.Qos, []string{"high"}) ||
		job.Hold != pb.Hold_HOLD_USER || job.TimeLimit.Seconds != 90 || job.SubmitTime.Seconds != 100 || job.Nodes != 4 ||
		job.Cpus != 17 || job.Tres["gres/gpu"] != 6 || job.State != pb.JobState_JOB_STATE_PENDING {
		t.Errorf("got %v", job)
	}
}

func TestLifeOfAWorkload(t *testing.T) {
	reserved := isSince(kueue.WorkloadQuotaReserved, metav1.ConditionTrue, 200)
	admission := isSince(kueue.WorkloadAdmitted, metav1.ConditionTrue, 210)
	finished := isSince(kueue.WorkloadFinished, metav1.ConditionTrue, 400)
	failed := finished
	failed.Reason = kueue.WorkloadFinishedReasonFailed
	unreserved := isSince(kueue.WorkloadQuotaReserved, metav1.ConditionFalse, 320)
	readmissible := isSince(kueue.WorkloadAdmitted, metav1.ConditionFalse, 320)
	evicted := isSince(kueue.WorkloadEvicted, metav1.ConditionTrue, 300)
	before := isSince(kueue.WorkloadEvicted, metav1.ConditionTrue, 150)
	for _, c := range []struct {
		name            string
		conditions      []metav1.Condition
		state           pb.JobState
		admitted, ended int64
	}{
		{"waits", nil, pb.JobState_JOB_STATE_PENDING, 0, 0},
		{"has quota", []metav1.Condition{reserved}, pb.JobState_JOB_STATE_RUNNING, 0, 0},
		{"runs", []metav1.Condition{reserved, admission, before}, pb.JobState_JOB_STATE_RUNNING, 210, 0},
		{"is being evicted", []metav1.Condition{reserved, admission, evicted}, pb.JobState_JOB_STATE_RUNNING, 210, 300},
		{"waits again", []metav1.Condition{unreserved, readmissible, evicted}, pb.JobState_JOB_STATE_PENDING, 0, 300},
		{"is over", []metav1.Condition{reserved, admission, finished}, pb.JobState_JOB_STATE_COMPLETED, 210, 400},
		{"failed", []metav1.Condition{reserved, admission, failed}, pb.JobState_JOB_STATE_FAILED, 210, 400},
	} {
		w := sample()
		w.Status.Conditions = c.conditions
		r := From(w)
		if got := r.Job(Place{}).State; got != c.state {
			t.Errorf("%s: got %v, want %v", c.name, got, c.state)
		}
		if got := second(r.Admitted); got != c.admitted {
			t.Errorf("%s: got admitted at %d, want %d", c.name, got, c.admitted)
		}
		if got := second(r.Ended); got != c.ended {
			t.Errorf("%s: got ended at %d, want %d", c.name, got, c.ended)
		}
	}
}

func second(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

func TestPodsThatAreOverAreNotHeld(t *testing.T) {
	w := sample()
	w.Status.Admission = &kueue.Admission{PodSetAssignments: []kueue.PodSetAssignment{
		{Name: "worker", Count: pointer(int32(3)), ResourceUsage: list("cpu", "15", "nvidia.com/gpu", "6")},
		{Name: "driver", Count: pointer(int32(1)), ResourceUsage: list("cpu", "2", "memory", "1Gi")}}}
	w.Status.ReclaimablePods = []kueue.ReclaimablePod{{Name: "worker", Count: 2}, {Name: "driver", Count: 1}}
	want := TRES{"cpu": 5, "gres/gpu": 2}
	if got := From(w).Usage; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUsersSurviveTheLabel(t *testing.T) {
	for _, name := range []string{"amy", "amy@site.org", "oidc:amy", "a_b", "system:serviceaccount:team-a:robot", "-x.", "é"} {
		label, fits := EncodeUser(name)
		if got, ok := DecodeUser(label); !fits || !ok || got != name {
			t.Errorf("%q: got %q by %q", name, got, label)
		}
	}
	if _, fits := EncodeUser("system:serviceaccount:a-rather-long-namespace-name:a-service-account"); fits {
		t.Error("a name of more than 63 characters fits")
	}
	for _, label := range []string{"amy", "u-amy", "u--u", "", "u-_00-u", "u-_ff-u", "u-a_0ab-u"} {
		if name, ok := DecodeUser(label); ok {
			t.Errorf("%q: got %q, want none", label, name)
		}
	}
}

func TestAccountsOfNamespaces(t *testing.T) {
	accounts, err := ParseAccounts("# ours\nteam-chem-* chem\n\nlab physics # the lab\nteam-* others\n")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{AccountLabel: "labelled"}
	for _, c := range []struct {
		namespace string
		labels    map[string]string
		want      string
	}{
		{"team-chem-1", labels, "chem"}, {"lab", nil, "physics"}, {"team-x", nil, "others"},
		{"else", labels, "labelled"}, {"else", nil, "else"},
	} {
		if got := accounts.Of(c.namespace, c.labels); got != c.want {
			t.Errorf("%s: got %s, want %s", c.namespace, got, c.want)
		}
	}
	for _, text := range []string{"one", "a b c", "[ a"} {
		if _, err := ParseAccounts(text); err == nil {
			t.Errorf("%q: got no error", text)
		}
	}
}

// An API server prefixes names of an OpenID provider with its URL and #, unless --oidc-username-prefix is set.
func TestNamesOfAnOpenIDProviderAreMapped(t *testing.T) {
	users, err := ParseUsers("https://idp.site/realm#amy amy # Amy's\n*#guest-? guest\n#https://idp.site/* nobody\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"https://idp.site/realm#amy": "amy", "https://idp.site/realm#guest-1": "guest", "https://idp.site/realm#ben": "https://idp.site/realm#ben",
	} {
		if got := users.Of(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestServiceAccountsOfANamespaceAreOneUserUnlessTheyAreNamed(t *testing.T) {
	users, err := ParseUsers("system:serviceaccount:chem:pipeline amy # Amy's\nsystem:serviceaccount:ci-*:* ci\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"system:serviceaccount:chem:pipeline": "amy", "system:serviceaccount:chem:a1": "system:serviceaccounts:chem",
		"system:serviceaccount:chem:a2": "system:serviceaccounts:chem", "system:serviceaccount:ci-7:x": "ci",
		"ben@site.org": "ben@site.org", "": "", "system:serviceaccount:odd": "system:serviceaccount:odd",
	} {
		if got := users.Of(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := ParseUsers("a b c"); err == nil || !strings.Contains(err.Error(), "users, line 1") {
		t.Errorf("got %v, want an error that names the line", err)
	}
}
