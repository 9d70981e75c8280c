package integration

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
)

// awaitTurnPolicies waits until the policies of turns are in force, shortly after their creation, for a user with rights in a
// namespace: new Pods are stamped and gated, and only the controller writes its annotations.
func awaitTurnPolicies(t *testing.T, user client.Client, namespace string) {
	t.Helper()
	eventually(t, "the policies of turns", func() error {
		trial := gatedPod(namespace, "trial", 1)
		trial.Spec.SchedulingGates = nil
		if err := user.Create(t.Context(), trial, client.DryRunAll); err != nil {
			return err
		}
		if trial.Labels[workload.UserLabel] == "" || len(trial.Spec.SchedulingGates) != 1 {
			return fmt.Errorf("got the labels %v and the gates %v, want a stamp and a gate", trial.Labels, trial.Spec.SchedulingGates)
		}
		trial = gatedPod(namespace, "trial", 1)
		annotated(trial, workload.LedgerAnnotation, "{}")
		if err := user.Create(t.Context(), trial, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "only priorityd-kubernetes may write") {
			return fmt.Errorf("got %v, want a refusal", err)
		}
		return nil
	})
}

// awaitUserPolicies waits until the policies of users are in force, shortly after their creation: each by what it does, as one
// may be in force before another.
func awaitUserPolicies(t *testing.T, eve client.Client) {
	t.Helper()
	ctx := t.Context()
	kept := cronJob("kept") // Nothing runs it.
	must(t, client.IgnoreAlreadyExists(site.Client.Create(ctx, kept)))
	eventually(t, "the policies of users", func() error {
		job, cron := queuedJob("trial", 1), cronJob("trial")
		if err := errors.Join(eve.Create(ctx, job, client.DryRunAll), eve.Create(ctx, cron, client.DryRunAll)); err != nil {
			return err
		}
		if ofJob, ofCron := job.Labels[workload.UserLabel], cron.Spec.JobTemplate.Labels[workload.UserLabel]; ofJob != "u-eve-u" || ofCron != "u-eve-u" {
			return fmt.Errorf("got the stamps %q of a Job and %q of a CronJob, want eve's", ofJob, ofCron)
		}
		if err := site.Client.Get(ctx, client.ObjectKeyFromObject(kept), kept); err != nil {
			return err
		}
		kept.Spec.JobTemplate.Labels = map[string]string{workload.UserLabel: "u-victim-u"}
		if err := eve.Update(ctx, kept, client.DryRunAll); err == nil || !strings.Contains(err.Error(), "must not change") {
			return fmt.Errorf("got %v, want that a stamp must not change", err)
		}
		return nil
	})
}
