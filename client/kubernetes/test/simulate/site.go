package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
	"priorityd/kubernetes/test/plane"
)

const (
	queueName  = "sim"
	namespaces = 40
	mostShares = 4 // Namespaces have 1 to 4 shares, and as many Workloads for each.
)

type options struct {
	workloads int
	cpus      int
	lasts     time.Duration
	period    time.Duration
	kills     bool
}

func space(i int) string { return fmt.Sprintf("tenant-%02d", i) }
func sharesOf(i int) int { return 1 + i%mostShares }
func allShares() (sum int) {
	for i := range namespaces {
		sum += sharesOf(i)
	}
	return sum
}

// prepare creates the queue and the tenants.
func prepare(ctx context.Context, p *plane.Plane, cpus int, halfLife time.Duration) error {
	conf := fmt.Sprintf("ClusterName=k\nPriorityType=priority/multifactor\nPriorityWeightFairshare=1000000\nPriorityWeightAge=1000\n"+
		"PriorityDecayHalfLife=%d\nPriorityCalcPeriod=1\n", int(halfLife.Minutes()))
	if _, err := p.Priorityd.Calls.Admin.Import(ctx, &pb.ImportRequest{Files: []*pb.File{
		{Kind: pb.FileKind_FILE_KIND_SLURM_CONF, Name: "slurm.conf", Content: conf}}}); err != nil {
		return err
	}
	if err := p.CreateClusterQueue(ctx, queueName, map[corev1.ResourceName]string{"cpu": fmt.Sprint(cpus)}); err != nil {
		return err
	}
	for i := range namespaces {
		if err := p.CreateNamespace(ctx, space(i), queueName); err != nil {
			return err
		}
		_, err := p.Priorityd.Calls.Admin.CreateAssociations(ctx, &pb.CreateAssociationsRequest{
			Associations: []*pb.NewAssociation{{Account: space(i)}},
			Settings:     []*pb.Setting{{Name: "Fairshare", Value: fmt.Sprint(sharesOf(i))}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// newWorkload is a Workload of a single Pod.
func newWorkload(namespace, name string, cpus int64) *kueue.Workload {
	label, _ := workload.EncodeUser("user-" + namespace)
	requests := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI)}
	return &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{workload.UserLabel: label}},
		Spec: kueue.WorkloadSpec{QueueName: "queue", PodSets: []kueue.PodSet{{Name: "main", Count: 1,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{Name: "c", Image: "none", Resources: corev1.ResourceRequirements{Requests: requests}}}}}}}},
	}
}

// ranking are the places of the Workloads in the start order of priorityd.
func ranking(ctx context.Context, p *plane.Plane) (map[string]int, error) {
	answer, err := p.Priorityd.Calls.RankJobs(ctx, &pb.RankJobsRequest{BestOnly: true, Partitions: []string{queueName},
		Source: &pb.RankJobsRequest_Tracked{Tracked: &pb.TrackedQueue{}}})
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	for i, row := range answer.GetRanked() {
		places[row.GetJobId()] = i
	}
	return places, nil
}
