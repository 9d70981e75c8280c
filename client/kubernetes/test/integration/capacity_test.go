package integration

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
)

// awaitCapacity waits until the cluster in priorityd has so many CPUs, GPUs and nodes; -1 = as many as before.
func awaitCapacity(t *testing.T, nodes int64, cpus, gpus float64) {
	t.Helper()
	eventually(t, "what there is", func() error {
		answer, err := site.Priorityd.Calls.Admin.ListClusters(t.Context(), &pb.ListClustersRequest{})
		if err != nil {
			return err
		}
		c := answer.GetClusters()[0]
		if c.GetCpus() != cpus || c.GetTres()["gres/gpu"] != gpus || nodes >= 0 && int64(c.GetNodes()) != nodes {
			return fmt.Errorf("got %v, want %v CPUs, %v GPUs, %d nodes", c, cpus, gpus, nodes)
		}
		return nil
	})
}

// The capacity of the cluster is the sum of all ClusterQueues; without Kueue, of all nodes.
func TestPrioritydKnowsWhatThereIs(t *testing.T) {
	must(t, site.StartController("--source=order"))
	must(t, site.CreateClusterQueue(t.Context(), "counted", map[corev1.ResourceName]string{"cpu": "7", "nvidia.com/gpu": "3"}))
	var queues kueue.ClusterQueueList
	must(t, site.Client.List(t.Context(), &queues))
	cpus, gpus := 0.0, 0.0
	for _, queue := range queues.Items {
		for _, amount := range queue.Spec.ResourceGroups[0].Flavors[0].Resources {
			switch amount.Name {
			case "cpu":
				cpus += amount.NominalQuota.AsApproximateFloat64()
			case "nvidia.com/gpu":
				gpus += amount.NominalQuota.AsApproximateFloat64()
			}
		}
	}
	awaitCapacity(t, -1, cpus, gpus)
	startPlain(t)
	awaitCapacity(t, 2, 4, 0)
}
