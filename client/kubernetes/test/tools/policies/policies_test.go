package policies

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
)

const (
	userKey = "priorityd/user"
	gate    = "priorityd/queue"
)

var (
	eve        = &user.DefaultInfo{Name: "eve", Groups: []string{"tenants"}}
	longest    = &user.DefaultInfo{Name: "oidc:a-person-with-a-very-long-name@department.university.example.org"}
	root       = &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}}
	controller = &user.DefaultInfo{Name: "system:serviceaccount:priorityd:priorityd-kubernetes"}
	cronJobs   = &user.DefaultInfo{Name: "system:serviceaccount:kube-system:cronjob-controller"}
	jobs       = &user.DefaultInfo{Name: "system:serviceaccount:kube-system:job-controller"}
)

func pointer[T any](value T) *T { return &value }

func owned(by string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{Kind: by, Name: "o", UID: "u", Controller: pointer(true)}}
}

// job is a Job of eve that waits for its turn.
func job(changes ...func(*batchv1.Job)) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x", Labels: map[string]string{gate: "q", userKey: "u-eve-u"}},
		Spec: batchv1.JobSpec{Suspend: pointer(true), Parallelism: pointer(int32(2)), Completions: pointer(int32(2)), ActiveDeadlineSeconds: pointer(int64(100))}}
	for _, change := range changes {
		change(j)
	}
	return j
}

// written is a Job with the controller's annotations and finalizer.
func written(changes ...func(*batchv1.Job)) *batchv1.Job {
	return job(append([]func(*batchv1.Job){func(j *batchv1.Job) {
		j.Annotations = map[string]string{"priorityd/place": "place 1", "tenant": "a"}
		j.Finalizers = []string{"tenant", "priorityd/accounting"}
	}}, changes...)...)
}

func runs(j *batchv1.Job) { j.Spec.Suspend = pointer(false) }

func pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x", Labels: map[string]string{gate: "q"}},
		Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: gate}}}}
	for _, change := range changes {
		change(p)
	}
	return p
}

// ours are the policies, compiled once.
var ours = sync.OnceValues(func() ([]*policy, error) {
	return load("../../../config/policy/user.yaml", "../../../config/plain/turn.yaml")
})

func ask(t *testing.T, r request) (runtime.Object, error) {
	t.Helper()
	policies, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	switch r.object.(type) {
	case *batchv1.Job:
		r.kind, r.resource = batchv1.SchemeGroupVersion.WithKind("Job"), batchv1.SchemeGroupVersion.WithResource("jobs")
	case *batchv1.CronJob:
		r.kind, r.resource = batchv1.SchemeGroupVersion.WithKind("CronJob"), batchv1.SchemeGroupVersion.WithResource("cronjobs")
	case *corev1.Pod:
		r.kind, r.resource = corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion.WithResource("pods")
	}
	return admit(policies, r)
}

func create[T runtime.Object](t *testing.T, who user.Info, object T) (made T, err error) {
	t.Helper()
	answer, err := ask(t, request{who: who, operation: admission.Create, object: object})
	if err == nil {
		made = answer.(T)
	}
	return made, err
}

// must fails the test unless the request was admitted.
func must[T any](made T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// refused fails the test unless the request was refused for the reason.
func refused(t *testing.T, what, reason string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: got %v, want a refusal: %q", what, err, reason)
	}
}

func update(t *testing.T, who user.Info, object, old runtime.Object) error {
	t.Helper()
	_, err := ask(t, request{who: who, operation: admission.Update, object: object, old: old})
	return err
}

func TestAJobIsSuspendedHoweverItIsMade(t *testing.T) {
	for _, suspend := range []*bool{nil, pointer(false), pointer(true)} {
		made := must(create(t, eve, job(func(j *batchv1.Job) { j.Spec.Suspend = suspend })))(t)
		if made.Spec.Suspend == nil || !*made.Spec.Suspend {
			t.Errorf("suspend %v: it runs at once", suspend)
		}
	}
	for what, change := range map[string]func(*batchv1.Job){
		"without the label": func(j *batchv1.Job) { j.Labels = nil },
		"of Kueue":          func(j *batchv1.Job) { j.Labels["kueue.x-k8s.io/queue-name"] = "k" },
		"Pod by Pod":        func(j *batchv1.Job) { j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: gate}} },
	} {
		if made := must(create(t, eve, job(runs, change)))(t); *made.Spec.Suspend {
			t.Errorf("a Job %s is suspended", what)
		}
	}
}

func TestAPodIsGatedHoweverItIsMade(t *testing.T) {
	for _, gates := range [][]corev1.PodSchedulingGate{nil, {{Name: "other"}}, {{Name: gate}}} {
		made := must(create(t, eve, pod(func(p *corev1.Pod) { p.Spec.SchedulingGates, p.OwnerReferences = gates, owned("Job") })))(t)
		if !slices.Contains(made.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: gate}) {
			t.Errorf("gates %v: got %v, want ours", gates, made.Spec.SchedulingGates)
		}
	}
	for _, who := range []user.Info{jobs, root} { // Pods of a Job that was released as a whole.
		made := must(create(t, who, pod(func(p *corev1.Pod) { p.Spec.SchedulingGates, p.OwnerReferences = nil, owned("Job") })))(t)
		if len(made.Spec.SchedulingGates) > 0 {
			t.Errorf("%s: got %v, want no gate", who.GetName(), made.Spec.SchedulingGates)
		}
	}
}

func TestWhatIsTheControllersIsNotATenantsToWrite(t *testing.T) {
	for _, key := range []string{"priorityd/ledger", "priorityd/released", "priorityd/place", "priorityd/start-forecast", userKey} {
		_, err := create(t, eve, job(func(j *batchv1.Job) { j.Annotations = map[string]string{key: "x", "tenant": "a"} }))
		refused(t, "a Job with "+key, "annotations priorityd/", err)
		_, err = create(t, eve, pod(func(p *corev1.Pod) { p.Annotations = map[string]string{key: "x"} }))
		refused(t, "a Pod with "+key, "annotations priorityd/", err)
	}
	_, err := create(t, eve, job(func(j *batchv1.Job) { j.Finalizers = []string{"priorityd/accounting"} }))
	refused(t, "our finalizer", "finalizers priorityd/", err)
	_, err = create(t, eve, job(func(j *batchv1.Job) { j.Labels["priorityd/else"] = "x" }))
	refused(t, "our label", "labels priorityd/", err)
	for reason, changes := range map[string][]func(*batchv1.Job){
		"must not change": {func(j *batchv1.Job) { j.Labels[gate] = "r" }, func(j *batchv1.Job) { delete(j.Labels, gate) },
			func(j *batchv1.Job) { j.Labels["kueue.x-k8s.io/queue-name"] = "k" }, func(j *batchv1.Job) { j.Labels["priorityd/z"] = "z" }},
		"annotations priorityd/": {func(j *batchv1.Job) { j.Annotations["priorityd/ledger"] = "{}" }, func(j *batchv1.Job) { j.Annotations = nil },
			func(j *batchv1.Job) { j.Annotations["priorityd/place"] = "place 2" },
			func(j *batchv1.Job) { j.Annotations["priorityd/start-forecast"] = "{}" }},
		"finalizers priorityd/": {func(j *batchv1.Job) { j.Finalizers = nil }, func(j *batchv1.Job) { j.Finalizers = append(j.Finalizers, "priorityd/z") }},
		"waits for its turn":    {runs, func(j *batchv1.Job) { j.Spec.Suspend = nil }},
		userKey:                 {func(j *batchv1.Job) { j.Labels[userKey] = "u-victim-u" }, func(j *batchv1.Job) { j.Labels = nil }},
	} {
		for i, change := range changes {
			refused(t, fmt.Sprint(reason, " ", i), reason, update(t, eve, written(change), written()))
			if err := update(t, root, written(change), written()); err != nil && reason != userKey {
				t.Errorf("%s %d: got %v, want that an administrator may", reason, i, err)
			}
		}
	}
	refused(t, "the gate", "waits for its turn", update(t, eve, pod(func(p *corev1.Pod) { p.Spec.SchedulingGates = nil }), pod()))
}

func TestWhatIsATenantsIsTheTenantsToWrite(t *testing.T) {
	for what, change := range map[string]func(*batchv1.Job){
		"nothing":                  func(*batchv1.Job) {},
		"other annotations":        func(j *batchv1.Job) { j.Annotations["tenant"] = "b" },
		"other labels, finalizers": func(j *batchv1.Job) { j.Labels["tenant"], j.Finalizers = "b", []string{"priorityd/accounting"} },
		"its size while it waits":  func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.ActiveDeadlineSeconds = pointer(int32(50)), nil },
	} {
		if err := update(t, eve, written(change), written()); err != nil {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if err := update(t, eve, written(), written(runs)); err != nil {
		t.Errorf("a tenant who suspends a Job of their own: got %v", err)
	}
	if err := update(t, controller, written(runs, func(j *batchv1.Job) { j.Annotations["priorityd/released"] = "now" }), written()); err != nil {
		t.Errorf("a turn: got %v", err)
	}
}

func TestWhatHadItsTurnDoesNotGrow(t *testing.T) {
	size := func(parallelism, completions int32) func(*batchv1.Job) {
		return func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &parallelism, &completions }
	}
	limit := func(seconds *int64) func(*batchv1.Job) {
		return func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = seconds }
	}
	for _, c := range []struct {
		what, reason string
		after, from  *batchv1.Job
	}{
		{"more Pods", "no more Pods", job(runs, size(9, 9)), job(runs)},
		{"more completions of as many at a time", "no more Pods", job(runs, size(9, 9)), job(runs, size(9, 2))},
		{"more Pods as it is suspended", "no more Pods", job(size(9, 9)), job(runs)},
		{"a longer time", "no longer", job(runs, limit(pointer(int64(101)))), job(runs)},
		{"no end", "no longer", job(runs, limit(nil)), job(runs)},
	} {
		refused(t, c.what, c.reason, update(t, eve, c.after, c.from))
	}
	if err := update(t, eve, job(runs, size(1, 2), limit(pointer(int64(5)))), job(runs)); err != nil {
		t.Errorf("less: got %v", err)
	}
	_, err := ask(t, request{who: eve, operation: admission.Update, subresource: "resize", object: pod(), old: pod()})
	refused(t, "a Pod's size", "must keep its size", err)
}

func TestWhoSubmittedIsStampedAlsoWhereTheNameIsLong(t *testing.T) {
	for who, want := range map[*user.DefaultInfo]string{eve: "u-eve-u ", longest: "long " + longest.Name} {
		j, p := must(create(t, who, job(func(j *batchv1.Job) { j.Labels[userKey] = "u-victim-u" })))(t), must(create(t, who, pod()))(t)
		c := must(create(t, who, cronJob("u-victim-u")))(t)
		for _, o := range []metav1.ObjectMeta{j.ObjectMeta, p.ObjectMeta, c.Spec.JobTemplate.ObjectMeta} {
			if got := o.Labels[userKey] + " " + o.Annotations[userKey]; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func cronJob(stamp string) *batchv1.CronJob {
	c := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x"}, Spec: batchv1.CronJobSpec{Schedule: "0 0 * * *"}}
	if stamp != "" {
		c.Spec.JobTemplate.Labels = map[string]string{userKey: stamp}
	}
	return c
}

func TestAJobOfACronJobIsOfWhoMadeTheCronJob(t *testing.T) {
	for _, c := range []struct {
		who         user.Info
		stamp, want string
	}{{cronJobs, "u-eve-u", "u-eve-u"}, {cronJobs, "", "none"}, {eve, "u-victim-u", "u-eve-u"}} {
		made := must(create(t, c.who, job(func(j *batchv1.Job) {
			j.OwnerReferences = owned("CronJob")
			if j.Labels[userKey] = c.stamp; c.stamp == "" {
				delete(j.Labels, userKey)
			}
		})))(t)
		if got := made.Labels[userKey]; got != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.who.GetName(), c.stamp, got, c.want)
		}
	}
	for _, stamp := range []string{"u-victim-u", ""} {
		refused(t, "a CronJob's stamp", "must not change", update(t, eve, cronJob(stamp), cronJob("u-eve-u")))
	}
	if err := update(t, eve, cronJob("u-eve-u"), cronJob("u-eve-u")); err != nil {
		t.Errorf("got %v, want that a CronJob may change otherwise", err)
	}
}

// Slurm orders what slurm-bridge schedules: with our gate it would wait for two turns, and for ours in vain.
func TestWhatSlurmBridgeSchedulesIsNotHeldBack(t *testing.T) {
	of := func(scheduler string) (*batchv1.Job, *corev1.Pod) {
		p := pod(func(p *corev1.Pod) { p.Spec.SchedulingGates, p.Spec.SchedulerName = nil, scheduler })
		return job(runs, func(j *batchv1.Job) { j.Spec.Template.Spec.SchedulerName = scheduler }), p
	}
	j, p := of("slurm-bridge-scheduler")
	if made := must(create(t, eve, j))(t); *made.Spec.Suspend {
		t.Error("its Job is suspended")
	}
	if made := must(create(t, eve, p))(t); len(made.Spec.SchedulingGates) != 0 {
		t.Errorf("its Pod has the gates %v", made.Spec.SchedulingGates)
	}
	j, p = of("another-scheduler")
	if made := must(create(t, eve, j))(t); !*made.Spec.Suspend {
		t.Error("a Job of another scheduler is not suspended")
	}
	if made := must(create(t, eve, p))(t); len(made.Spec.SchedulingGates) != 1 {
		t.Error("a Pod of another scheduler is not gated")
	}
}
