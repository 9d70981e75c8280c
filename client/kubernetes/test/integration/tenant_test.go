package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// tenantSpace is the namespace in which the group `tenants` has all rights to Jobs, CronJobs and Pods, and no others.
const tenantSpace = "tenant-space"

// startTenants starts the controller without Kueue, and tenants with the rights of their own namespace.
func startTenants(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	startPlain(t)
	must(t, site.Apply(ctx, "../../config/policy"))
	must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenantSpace}})))
	everything := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: tenantSpace, Name: "tenant"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "pods/resize"}, Verbs: everything},
			{APIGroups: []string{"batch"}, Resources: []string{"jobs", "cronjobs"}, Verbs: everything}}})))
	must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: tenantSpace, Name: "tenant"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "tenant"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "tenants"}}})))
	eve := as(t, "eve")
	awaitUserPolicies(t, eve)
	awaitTurnPolicies(t, eve, tenantSpace)
}

// cronJob is a CronJob that claims another user.
func cronJob(name string) *batchv1.CronJob {
	return &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Namespace: tenantSpace, Name: name}, Spec: batchv1.CronJobSpec{Schedule: "0 0 1 1 *",
		JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{workload.UserLabel: "u-victim-u"}},
			Spec: queuedJob("", 9).Spec}}}
}

func as(t *testing.T, token string) client.Client {
	t.Helper()
	c, err := site.As(token)
	must(t, err)
	return c
}

// queuedJob is a Job of so many Pods with one CPU each that waits for its turn.
func queuedJob(name string, pods int32) *batchv1.Job {
	suspend := true
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: tenantSpace, Name: name, Labels: map[string]string{workload.QueueLabel: "plain"}},
		Spec: batchv1.JobSpec{Suspend: &suspend, Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{Spec: podSpec(1)}}}
}

// mayNot checks that the API server refused a tenant's request, for a reason that names it.
func mayNot(t *testing.T, what, reason string, err error) {
	t.Helper()
	if !apierrors.IsInvalid(err) && !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: got %v, want that it is refused: %q", what, err, reason)
	}
}

// change makes a tenant change the present state of an object.
func change[T client.Object](t *testing.T, tenant client.Client, object T, how func(T)) error {
	t.Helper()
	return changeBy(t, object, how, func(changed T) error { return tenant.Update(t.Context(), changed) })
}

// changeBy changes the present state of an object, again if others have written meanwhile: the controller does.
func changeBy[T client.Object](t *testing.T, object T, how func(T), update func(T) error) (err error) {
	t.Helper()
	eventually(t, "a change without a conflict", func() error {
		must(t, site.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object))
		changed := object.DeepCopyObject().(T)
		how(changed)
		if err = update(changed); apierrors.IsConflict(err) {
			return err
		}
		return nil
	})
	return err
}

func annotated(o client.Object, key, value string) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	o.SetAnnotations(annotations)
}

// forged is the ledger that the tenant forges.
var forged = map[string]string{
	"that all is charged until 2100": `{"until":4102444800}`,
	"that another runs it":           `{"open":{"begin":%d,"tres":{"cpu":1},"account":"victim-lab","user":"victim"}}`,
	"that another ran it for a year": `{"open":{"begin":1758464000,"past":-99999999,"tres":{"gres/gpu":10000},"account":"victim-lab"}}`,
	"that it runs since 1970":        `{"open":{"begin":0,"tres":{"cpu":1},"account":"tenant-space","user":"eve"}}`,
}

func TestATenantWritesNothingThatIsTheControllers(t *testing.T) {
	ctx := t.Context()
	startTenants(t)
	eve := as(t, "eve")
	for what, text := range forged {
		j, p := queuedJob("forged", 1), gatedPod(tenantSpace, "forged", 1)
		annotated(j, workload.LedgerAnnotation, text)
		annotated(p, workload.LedgerAnnotation, text)
		mayNot(t, "a Job says "+what, "annotations priorityd/", eve.Create(ctx, j))
		mayNot(t, "a Pod says "+what, "annotations priorityd/", eve.Create(ctx, p))
	}
	blocker := queuedJob("blocker", 9) // It never has room.
	must(t, eve.Create(ctx, blocker))
	defer site.Client.Delete(ctx, blocker, client.PropagationPolicy(metav1.DeletePropagationBackground))
	for what, how := range map[string]struct {
		reason string
		change func(*batchv1.Job)
	}{
		"a ledger":              {"annotations priorityd/", func(j *batchv1.Job) { annotated(j, workload.LedgerAnnotation, `{"until":4102444800}`) }},
		"a turn":                {"annotations priorityd/", func(j *batchv1.Job) { annotated(j, workload.ReleasedAnnotation, "2026-01-01T00:00:00Z") }},
		"our finalizer":         {"finalizers priorityd/", func(j *batchv1.Job) { j.Finalizers = append(j.Finalizers, workload.Finalizer) }},
		"another user":          {"must not change", func(j *batchv1.Job) { j.Labels[workload.UserLabel] = "u-victim-u" }},
		"another queue":         {"must not change", func(j *batchv1.Job) { j.Labels[workload.QueueLabel] = "fast" }},
		"no queue":              {"must not change", func(j *batchv1.Job) { delete(j.Labels, workload.QueueLabel) }},
		"Kueue's label":         {"must not change", func(j *batchv1.Job) { j.Labels["kueue.x-k8s.io/queue-name"] = "q" }},
		"another label of ours": {"must not change", func(j *batchv1.Job) { j.Labels["priorityd/else"] = "x" }},
		"its own turn":          {"waits for its turn", func(j *batchv1.Job) { runs := false; j.Spec.Suspend = &runs }},
	} {
		mayNot(t, what, how.reason, change(t, eve, blocker, how.change))
	}
	mayNot(t, "the controller's own ledgers", "cannot", eve.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "priorityd", Name: "priorityd-ledger-x"}}))
	mayNot(t, "who reads them", "cannot", eve.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("priorityd")))
}

func TestNothingRunsBeforeItsTurnHoweverItIsMade(t *testing.T) {
	ctx := t.Context()
	startTenants(t)
	eve := as(t, "eve")
	runs := false
	job := queuedJob("at-once", 9)
	job.Spec.Suspend = &runs
	must(t, eve.Create(ctx, job))
	defer site.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if !*job.Spec.Suspend {
		t.Error("a Job with suspend: false runs at once")
	}
	pod := gatedPod(tenantSpace, "at-once", 9)
	pod.Spec.SchedulingGates = nil
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: new(bool)}}
	*pod.OwnerReferences[0].Controller = true // The tenant claims that a Job owns it.
	must(t, eve.Create(ctx, pod))
	defer site.Client.Delete(ctx, pod)
	if len(pod.Spec.SchedulingGates) != 1 || pod.Spec.SchedulingGates[0].Name != workload.Gate {
		t.Errorf("got gates %v, want ours", pod.Spec.SchedulingGates)
	}
	bound := gatedPod(tenantSpace, "bound", 1)
	bound.Spec.SchedulingGates, bound.Spec.NodeName = nil, "node0"
	mayNot(t, "a Pod that is on a node already", "schedulingGates", eve.Create(ctx, bound))
	mayNotPass(t, eve, pod)
}

// chargedTo are the charges of a Job or Pod, in CPU seconds, by account and user.
func chargedTo(ctx context.Context, uid string) (map[string]float64, error) {
	charged := map[string]float64{}
	request := &pb.ListUsageRecordsRequest{JobIds: []string{uid}}
	answer, err := site.Priorityd.Calls.ListUsageRecords(ctx, request)
	if err != nil {
		return nil, err
	}
	for _, row := range answer.Records {
		record := row.GetRecord()
		charged[record.Account+"/"+record.User] += record.Tres["cpu"] * float64(record.EndTime.Seconds-record.StartTime.Seconds)
	}
	return charged, nil
}

// awaitRuns waits until a Job is released and its Pods run.
func awaitRuns(t *testing.T, job *batchv1.Job, pods int) map[string]*corev1.Pod {
	t.Helper()
	var all map[string]*corev1.Pod
	eventually(t, "the Pods of "+job.Name, func() (err error) {
		if all, err = podsOf(t.Context(), tenantSpace); err != nil {
			return err
		}
		count := 0
		for _, p := range all {
			if strings.HasPrefix(p.Name, job.Name+"-") && p.Status.Phase == corev1.PodRunning {
				count++
			}
		}
		if count != pods {
			return fmt.Errorf("%d run", count)
		}
		return nil
	})
	return all
}

// awaitJobCharged waits until a Job of one Pod is charged from its start to its end, and only to eve.
func awaitJobCharged(t *testing.T, job *batchv1.Job) {
	t.Helper()
	eventually(t, "the charge of "+job.Name, func() error {
		must(t, site.Client.Get(t.Context(), client.ObjectKeyFromObject(job), job))
		if job.Status.CompletionTime == nil {
			return errors.New("it is not over")
		}
		want := job.Status.CompletionTime.Sub(job.Status.StartTime.Time).Seconds()
		charged, err := chargedTo(t.Context(), string(job.UID))
		if err == nil && (len(charged) != 1 || charged["tenant-space/eve"] != want) {
			err = fmt.Errorf("charged %v, want %v of tenant-space/eve", charged, want)
		}
		return err
	})
}

// Even if an administrator, or a missing policy, has let the forgery pass.
func TestAForgedLedgerOfARunningJobChargesItsOwnerToTheSecond(t *testing.T) {
	ctx := t.Context()
	startTenants(t)
	eve := as(t, "eve")
	var jobs []*batchv1.Job
	for i := range len(forged) { // All fit on the nodes.
		jobs = append(jobs, queuedJob(fmt.Sprint("forger", i), 1))
		must(t, eve.Create(ctx, jobs[i]))
	}
	var all map[string]*corev1.Pod
	for i, what := range slices.Sorted(keys(forged)) {
		all = awaitRuns(t, jobs[i], 1)
		text := forged[what]
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, time.Now().Unix())
		}
		must(t, change(t, site.Client, jobs[i], func(j *batchv1.Job) { annotated(j, workload.LedgerAnnotation, text) }))
	}
	site.Controller.Kill()
	time.Sleep(1200 * time.Millisecond) // So that they have a duration.
	must(t, site.Controller.Start())
	for _, p := range all {
		if strings.HasPrefix(p.Name, "forger") {
			endPod(t, p)
		}
	}
	for _, job := range jobs {
		awaitJobCharged(t, job)
	}
	answer, err := site.Priorityd.Calls.ListUsageRecords(ctx, &pb.ListUsageRecordsRequest{Accounts: []string{"victim-lab"}})
	if err == nil && len(answer.Records) > 0 {
		t.Errorf("got %v, want nothing of the victim's", answer.Records)
	}
}

func keys(of map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range of {
			if !yield(key) {
				return
			}
		}
	}
}

func TestAJobThatHadItsTurnDoesNotGrow(t *testing.T) {
	ctx := t.Context()
	startTenants(t)
	eve := as(t, "eve")
	job := queuedJob("grows", 1)
	limit := int64(3600)
	job.Spec.ActiveDeadlineSeconds = &limit
	indexed := batchv1.IndexedCompletion // The API server lets only such a Job change its completions.
	job.Spec.CompletionMode = &indexed
	must(t, eve.Create(ctx, job))
	all := awaitRuns(t, job, 1)
	mayNot(t, "more Pods at a time", "no more Pods", change(t, eve, job, func(j *batchv1.Job) { *j.Spec.Parallelism, *j.Spec.Completions = 100, 100 }))
	mayNot(t, "a longer time", "no longer", change(t, eve, job, func(j *batchv1.Job) { *j.Spec.ActiveDeadlineSeconds = 36000 }))
	mayNot(t, "no end", "no longer", change(t, eve, job, func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = nil }))
	must(t, change(t, eve, job, func(j *batchv1.Job) { *j.Spec.ActiveDeadlineSeconds = 1800 }))
	pod := gatedPod(tenantSpace, "resized", 1)
	must(t, eve.Create(ctx, pod))
	eventually(t, "the Pod's turn", func() error {
		must(t, site.Client.Get(ctx, client.ObjectKeyFromObject(pod), pod))
		if pod.Status.Phase != corev1.PodRunning {
			return fmt.Errorf("it is %s", pod.Status.Phase)
		}
		return nil
	})
	sized := func(p *corev1.Pod) { // As a kubelet with resizing does; kwok does not.
		for i := range p.Status.ContainerStatuses {
			p.Status.ContainerStatuses[i].Resources = &p.Spec.Containers[i].Resources
		}
	}
	must(t, changeBy(t, pod, sized, func(p *corev1.Pod) error { return site.Client.Status().Update(ctx, p) }))
	larger := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("2")
	}
	mayNot(t, "a larger Pod", "must keep its size",
		changeBy(t, pod, larger, func(p *corev1.Pod) error { return eve.SubResource("resize").Update(ctx, p) }))
	endPod(t, pod)
	for _, p := range all {
		if strings.HasPrefix(p.Name, job.Name+"-") {
			endPod(t, p)
		}
	}
	awaitJobCharged(t, job)
}

// The user is the one that the API server has authenticated: one for all service accounts of a namespace, and for a CronJob its creator.
func TestServiceAccountsAndCronJobsMakeNoNewShares(t *testing.T) {
	ctx := t.Context()
	startTenants(t)
	want := map[string]string{}
	submit := func(token string, job *batchv1.Job, user string) {
		t.Helper()
		must(t, as(t, token).Create(ctx, job))
		want[string(job.UID)] = user
	}
	submit("builder", queuedJob("of-builder", 9), "system:serviceaccounts:tenant-space")
	submit("runner", queuedJob("of-runner", 9), "system:serviceaccounts:tenant-space")
	submit("longest", queuedJob("of-longest", 9), "oidc:a-person-with-a-very-long-name@department.university.example.org")
	cron := cronJob("nightly")
	eve := as(t, "eve")
	must(t, eve.Create(ctx, cron))
	if got := cron.Spec.JobTemplate.Labels[workload.UserLabel]; got != "u-eve-u" {
		t.Errorf("got the stamp %q, want eve's", got)
	}
	mayNot(t, "another user of a CronJob", "must not change", change(t, eve, cron, func(c *batchv1.CronJob) { c.Spec.JobTemplate.Labels[workload.UserLabel] = "u-victim-u" }))
	ofCron := func(name, stamp string) *batchv1.Job {
		job := queuedJob(name, 9)
		controls := true
		job.Labels[workload.UserLabel] = stamp
		job.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: cron.Name, UID: cron.UID, Controller: &controls}}
		return job
	}
	submit("cronjobs", ofCron("nightly-1", cron.Spec.JobTemplate.Labels[workload.UserLabel]), "eve")
	submit("eve", ofCron("nightly-2", "u-victim-u"), "eve")
	eventually(t, "the users", func() error {
		answer, err := site.Priorityd.Calls.ListJobs(ctx, &pb.ListJobsRequest{Accounts: []string{tenantSpace}})
		if err != nil {
			return err
		}
		known := map[string]string{}
		for _, tracked := range answer.Jobs {
			known[tracked.Job.JobId] = tracked.Job.User
		}
		for uid, user := range want {
			if known[uid] != user {
				return fmt.Errorf("got %q, want %q", known[uid], user)
			}
		}
		return nil
	})
	var jobs batchv1.JobList
	must(t, site.Client.List(ctx, &jobs, client.InNamespace(tenantSpace)))
	for i := range jobs.Items {
		must(t, client.IgnoreNotFound(site.Client.Delete(ctx, &jobs.Items[i], client.PropagationPolicy(metav1.DeletePropagationBackground))))
	}
	must(t, site.Client.Delete(ctx, cron))
}

// textOfEvent is the text of an object's Event with a reason; empty = none.
func textOfEvent(ctx context.Context, uid any, reason string) string {
	var list eventsv1.EventList
	if err := site.Client.List(ctx, &list); err != nil {
		return ""
	}
	for _, e := range list.Items {
		if e.Reason == reason && fmt.Sprint(e.Regarding.UID) == fmt.Sprint(uid) {
			return e.Note
		}
	}
	return ""
}
