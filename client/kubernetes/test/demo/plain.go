package demo

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

// plainJob is a Job of so many Pods of 2 CPUs, with a time limit.
type plainJob struct {
	name  string
	pods  int32
	limit time.Duration
}

// plainQueue is the queue of all Jobs.
const plainQueue = "batch"

// plainTenants are in order: each submits after the earlier ones have settled.
var plainTenants = []struct {
	user, namespace string
	jobs            []plainJob
}{
	{"amy", "plain-chem", []plainJob{{"amy-1", 1, time.Hour}, {"amy-2", 1, time.Hour}, {"amy-3", 1, time.Hour}, {"amy-4", 1, time.Hour}}},
	{"ben", "plain-physics", []plainJob{{"ben-wide", 2, time.Hour}, {"ben-short", 1, 20 * time.Minute}}},
}

// PlayPlain runs the demo without Kueue, on a control plane with nodes and no other Jobs; it returns the started Jobs, in order.
func PlayPlain(ctx context.Context, p *plane.Plane, out io.Writer) ([]string, error) {
	d := &plainDemo{demo: demo{Plane: p, out: out}}
	err := inTurn(ctx, d.prepare, d.submit, d.serve, d.report)
	return d.admitted, err
}

type plainDemo struct{ demo }

func (d *plainDemo) prepare(ctx context.Context) error {
	d.say("Two nodes with 2 CPUs each, and no Kueue; amy has the namespace plain-chem, ben plain-physics, with equal shares.")
	for _, tenant := range plainTenants {
		if err := d.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant.namespace}}); err != nil {
			return err
		}
	}
	for _, folder := range []string{"policy", "plain"} {
		if err := d.Apply(ctx, filepath.Join(plane.Root(), "client/kubernetes/config", folder)); err != nil {
			return err
		}
	}
	return d.allowUsers(ctx)
}

func (d *plainDemo) submit(ctx context.Context) error {
	for _, tenant := range plainTenants {
		as, err := d.As(tenant.user)
		if err != nil {
			return err
		}
		if err := d.awaitStamps(ctx, as, plainJobOf(tenant.namespace, plainJob{"trial", 1, time.Hour})); err != nil {
			return err
		}
		for _, job := range tenant.jobs {
			if err := as.Create(ctx, plainJobOf(tenant.namespace, job)); err != nil {
				return err
			}
			d.say("%s submits the Job %s: %d x 2 CPUs, for %v at most.", tenant.user, job.name, job.pods, job.limit)
			if err := d.settle(ctx); err != nil { // So that each is later than the one before.
				return err
			}
		}
	}
	return nil
}

func plainJobOf(namespace string, job plainJob) *batchv1.Job {
	waits, seconds := true, int64(job.limit.Seconds())
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: job.name, Labels: map[string]string{workload.QueueLabel: plainQueue}},
		Spec: batchv1.JobSpec{Suspend: &waits, Parallelism: &job.pods, Completions: &job.pods, ActiveDeadlineSeconds: &seconds,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("2")}}}}}}},
	}
}

// serve prints the queue and ends the first running Job, until none is left.
func (d *plainDemo) serve(ctx context.Context) error {
	for {
		all, err := d.jobs(ctx)
		if err != nil {
			return err
		}
		running, waiting := splitJobs(all)
		if len(running) == 0 && len(waiting) == 0 {
			return nil
		}
		d.show(running, waiting)
		if len(running) > 0 {
			if err := d.end(ctx, running[0]); err != nil {
				return err
			}
		}
		if err := inTurn(ctx, d.settle, d.awaitCharged(d.ended), d.recalculate, d.settle); err != nil {
			return err
		}
	}
}

// settle waits until priorityd knows which Jobs wait.
func (d *plainDemo) settle(ctx context.Context) error {
	if err := pause(ctx); err != nil {
		return err
	}
	return plane.Await(ctx, limit, "the waiting Jobs in priorityd", func() error {
		ranked, err := d.Priorityd.Ranked(ctx, plainQueue)
		if err != nil {
			return err
		}
		all, err := d.jobs(ctx)
		if err != nil {
			return err
		}
		_, waiting := splitJobs(all)
		for _, job := range waiting {
			if !slices.Contains(ranked, string(job.UID)) {
				return fmt.Errorf("it does not know %s", job.Name)
			}
		}
		if len(ranked) != len(waiting) {
			return fmt.Errorf("%d Jobs wait, priorityd has %d", len(waiting), len(ranked))
		}
		return nil
	})
}

func (d *plainDemo) ended(ctx context.Context) (runs []ended, err error) {
	all, err := d.jobs(ctx)
	for _, job := range all {
		if end := job.Status.CompletionTime; end != nil {
			runs = append(runs, ended{job.Name, job.UID, end.Sub(job.Status.StartTime.Time)})
		}
	}
	return runs, err
}

func (d *plainDemo) jobs(ctx context.Context) ([]*batchv1.Job, error) {
	var all []*batchv1.Job
	for _, tenant := range plainTenants {
		var list batchv1.JobList
		if err := d.Client.List(ctx, &list, client.InNamespace(tenant.namespace)); err != nil {
			return nil, err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
	return all, nil
}

// splitJobs returns the running Jobs, in order of release, and the waiting ones, in the order of their annotations.
func splitJobs(all []*batchv1.Job) (running, waiting []*batchv1.Job) {
	for _, job := range all {
		switch {
		case job.Status.CompletionTime != nil:
		case *job.Spec.Suspend:
			waiting = append(waiting, job)
		default:
			running = append(running, job)
		}
	}
	slices.SortFunc(running, func(a, b *batchv1.Job) int {
		return cmp.Or(cmp.Compare(a.Annotations[workload.ReleasedAnnotation], b.Annotations[workload.ReleasedAnnotation]), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(waiting, func(a, b *batchv1.Job) int {
		return cmp.Or(cmp.Compare(a.Annotations[workload.PlaceAnnotation], b.Annotations[workload.PlaceAnnotation]), cmp.Compare(a.Name, b.Name))
	})
	return running, waiting
}

func (d *plainDemo) show(running, waiting []*batchv1.Job) {
	d.say("")
	for _, job := range running {
		if !slices.Contains(d.admitted, job.Name) {
			d.say("%s starts.", job.Name)
			d.admitted = append(d.admitted, job.Name)
		} else {
			d.say("%s runs.", job.Name)
		}
	}
	for _, job := range waiting {
		d.say("  %-9s %s", job.Name, cmp.Or(job.Annotations[workload.PlaceAnnotation], "not ranked yet"))
	}
}

// end ends all Pods of a Job, once they run, and waits until the Job has finished.
func (d *plainDemo) end(ctx context.Context, job *batchv1.Job) error {
	return plane.Await(ctx, limit, "the end of "+job.Name, func() error {
		var pods corev1.PodList
		if err := d.Client.List(ctx, &pods, client.InNamespace(job.Namespace), client.MatchingLabels{"job-name": job.Name}); err != nil {
			return err
		}
		for i := range pods.Items {
			if pods.Items[i].Status.Phase == corev1.PodSucceeded {
				continue
			}
			if err := d.EndPod(ctx, &pods.Items[i]); err != nil {
				return err
			}
		}
		if err := d.Client.Get(ctx, client.ObjectKeyFromObject(job), job); err != nil {
			return err
		}
		if job.Status.CompletionTime == nil {
			return fmt.Errorf("it has %d Pods that ended", job.Status.Succeeded)
		}
		return nil
	})
}

func (d *plainDemo) report(ctx context.Context) error {
	d.say("\nStarted in this order: %s", strings.Join(d.admitted, " "))
	var namespaces []string
	for _, tenant := range plainTenants {
		namespaces = append(namespaces, tenant.namespace)
	}
	return d.charged(ctx, namespaces)
}
