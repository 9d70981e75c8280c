package controller

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// clusters fakes the calls that set a cluster's properties.
type clusters struct {
	pb.AdminServiceClient
	known []*pb.Cluster
	sent  []*pb.UpdateClusterRequest
	away  bool
}

func (c *clusters) ListClusters(context.Context, *pb.ListClustersRequest, ...grpc.CallOption) (*pb.ListClustersResponse, error) {
	return &pb.ListClustersResponse{Clusters: c.known}, nil
}

func (c *clusters) UpdateCluster(_ context.Context, request *pb.UpdateClusterRequest, _ ...grpc.CallOption) (*pb.Cluster, error) {
	if c.away {
		return nil, errAway
	}
	c.sent = append(c.sent, request)
	return request.Cluster, nil
}

func newCapacity(admin *clusters, total *Total, now *int64) *Capacity {
	return &Capacity{Admin: admin, Count: func() Total { return *total }, Log: logr.Discard(),
		Now: func() time.Time { return time.Unix(*now, 0) }}
}

func TestATotalIsReportedOnceItLasts(t *testing.T) {
	admin := &clusters{known: []*pb.Cluster{{Name: "k", Tres: map[string]float64{"license/x": 3, "gres/old": 1}}}}
	total, now := Total{TRES: workload.TRES{"cpu": 8}}, int64(0)
	c := newCapacity(admin, &total, &now)
	steps := func(want int) {
		t.Helper()
		for range 3 {
			if err := c.turn(t.Context()); err != nil && !admin.away {
				t.Fatal(err)
			}
			now += 5
		}
		if len(admin.sent) != want {
			t.Fatalf("got %v, want %d", admin.sent, want)
		}
	}
	steps(1)
	first := admin.sent[0]
	if first.Cluster.Name != "k" || first.Cluster.Cpus != 8 || first.Cluster.Tres["license/x"] != 3 || first.Cluster.Tres["gres/old"] != 0 ||
		slices.Contains(first.UpdateMask.Paths, "nodes") {
		t.Errorf("got %v, want 8 CPUs, the licenses as they were, and nothing of nodes", first)
	}
	steps(1)
	total = Total{Nodes: 4, TRES: workload.TRES{"cpu": 16}}
	admin.away = true
	steps(1)
	admin.away = false
	steps(2)
	if last := admin.sent[1]; last.Cluster.Nodes != 4 || !slices.Contains(last.UpdateMask.Paths, "nodes") {
		t.Errorf("got %v, want 4 nodes", last)
	}
}

func TestATotalThatKeepsChangingIsReportedAfterAMinute(t *testing.T) {
	admin := &clusters{known: []*pb.Cluster{{Name: "k"}}}
	total, now := Total{TRES: workload.TRES{"cpu": 8}}, int64(0)
	c := newCapacity(admin, &total, &now)
	for len(admin.sent) == 0 && now < 1000 {
		total = Total{TRES: workload.TRES{"cpu": float64(now + 1)}}
		if err := c.turn(t.Context()); err != nil {
			t.Fatal(err)
		}
		now += 5
	}
	if now != 65 {
		t.Errorf("got it reported after %d seconds, want a minute", now-5)
	}
}

func TestOfSeveralClustersOneIsNamed(t *testing.T) {
	admin := &clusters{known: []*pb.Cluster{{Name: "a"}, {Name: "b"}}}
	total, now := Total{TRES: workload.TRES{"cpu": 8}}, int64(0)
	c := newCapacity(admin, &total, &now)
	_ = c.turn(t.Context())
	if err := c.turn(t.Context()); err == nil {
		t.Error("got no error")
	}
}

func TestQuotasOfAllClusterQueuesAreSummed(t *testing.T) {
	book := NewBook(PlaceOptions{})
	flavor := func(name string, amounts ...string) kueue.FlavorQuotas {
		q := kueue.FlavorQuotas{Name: kueue.ResourceFlavorReference(name)}
		for i := 0; i < len(amounts); i += 2 {
			q.Resources = append(q.Resources, kueue.ResourceQuota{Name: corev1.ResourceName(amounts[i]), NominalQuota: resource.MustParse(amounts[i+1])})
		}
		return q
	}
	one := &kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{ResourceGroups: []kueue.ResourceGroup{{Flavors: []kueue.FlavorQuotas{
		flavor("spot", "cpu", "4", "memory", "1Gi", "pods", "10"), flavor("own", "cpu", "500m", "pods", "5")}},
		{Flavors: []kueue.FlavorQuotas{flavor("a100", "nvidia.com/gpu", "8")}}}}}
	one.Name = "one"
	two := &kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{ResourceGroups: []kueue.ResourceGroup{{Flavors: []kueue.FlavorQuotas{flavor("spot", "cpu", "2")}}}}}
	two.Name = "two"
	onClusterQueue(book)(one, true)
	onClusterQueue(book)(two, true)
	if got, want := book.Quota(), (Total{15, workload.TRES{"cpu": 6.5, "mem": 1024, "gres/gpu": 8}}); !got.equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	onClusterQueue(book)(one, false)
	if got, want := book.Quota(), (Total{0, workload.TRES{"cpu": 2}}); !got.equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
