package workload

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Marks of slurm-bridge (SlinkyProject): a Pod that it schedules is a Slurm job, which Slurm orders and charges.
const (
	// SlurmScheduler is the default name of slurm-bridge's scheduler.
	SlurmScheduler = "slurm-bridge-scheduler"
	// slurmJobLabel of a Pod is the number of its Slurm job, as slurm-bridge writes it.
	slurmJobLabel = "scheduler.slinky.slurm.net/slurm-jobid"
	// slurmAnnotations begin the annotations that set properties of the Slurm job.
	slurmAnnotations = "slurmjob.slinky.slurm.net/"
)

// isSlurms reports whether an object with this PodSpec is a Slurm job.
func isSlurms(o *metav1.ObjectMeta, spec *corev1.PodSpec) bool {
	if spec.SchedulerName == SlurmScheduler || o.Labels[slurmJobLabel] != "" {
		return true
	}
	for name := range o.Annotations {
		if strings.HasPrefix(name, slurmAnnotations) {
			return true
		}
	}
	return false
}

// isSlurmWorkload reports whether slurm-bridge schedules a pod set of a Workload.
func isSlurmWorkload(w *Workload) bool {
	for i := range w.Spec.PodSets {
		template := &w.Spec.PodSets[i].Template
		if isSlurms(&template.ObjectMeta, &template.Spec) {
			return true
		}
	}
	return false
}

// onlySlurms are the annotations of slurm-bridge among others, without their values.
func onlySlurms(annotations map[string]string) map[string]string {
	for name := range annotations {
		if strings.HasPrefix(name, slurmAnnotations) {
			return map[string]string{name: ""}
		}
	}
	return nil
}
