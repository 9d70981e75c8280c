package workload

import corev1 "k8s.io/api/core/v1"

// SlurmScheduler is the default name of the scheduler of slurm-bridge (SlinkyProject): a Pod that it schedules is a Slurm job,
// which Slurm orders and charges. Its labels and annotations alone, which each user of a namespace can write, make none.
const SlurmScheduler = "slurm-bridge-scheduler"

func isSlurms(spec *corev1.PodSpec) bool { return spec.SchedulerName == SlurmScheduler }

// isSlurmWorkload reports whether slurm-bridge schedules all pod sets of a Workload: a small one among others makes none.
func isSlurmWorkload(w *Workload) bool {
	for i := range w.Spec.PodSets {
		if !isSlurms(&w.Spec.PodSets[i].Template.Spec) {
			return false
		}
	}
	return len(w.Spec.PodSets) > 0
}
