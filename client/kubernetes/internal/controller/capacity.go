package controller

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	capacityEvery = 5 * time.Second
	// capacityPatience is the longest wait for a changing total to settle.
	capacityPatience = time.Minute
)

// Total is the capacity for work: the ClusterQueues' quotas, or the nodes.
type Total struct {
	Nodes uint32 // Nodes, or Pods if ClusterQueues limit them; 0 = not known.
	TRES  workload.TRES
}

func (t Total) equal(other Total) bool {
	return t.Nodes == other.Nodes && maps.Equal(t.TRES, other.TRES)
}

// Capacity reports the cluster's capacity to priorityd, for factors that relate a job's request to it: at the start,
// and after each lasting change.
type Capacity struct {
	Admin   pb.AdminServiceClient
	Cluster string       // Empty = the only cluster.
	Count   func() Total // The present capacity.
	Now     func() time.Time
	Log     logr.Logger

	sent  *Total
	seen  Total
	since time.Time // Since when a change is not reported; zero = none is.
}

// Start reports until the context ends.
func (c *Capacity) Start(ctx context.Context) error {
	c.sent = nil
	return inTurns(ctx, nil, 0, capacityEvery, func(ctx context.Context) {
		if err := c.turn(ctx); err != nil && ctx.Err() == nil {
			c.Log.Info("capacity not reported; retrying", "error", err.Error())
		}
	})
}

// turn reports a total that was equal twice in a row, or that has changed for capacityPatience.
func (c *Capacity) turn(ctx context.Context) error {
	total := c.Count()
	lasts := total.equal(c.seen)
	c.seen = total
	if len(total.TRES) == 0 || c.sent != nil && total.equal(*c.sent) {
		c.since = time.Time{}
		return nil
	}
	if c.since.IsZero() {
		c.since = c.Now()
	}
	if !lasts && c.Now().Sub(c.since) < capacityPatience {
		return nil
	}
	if err := c.send(ctx, total); err != nil {
		return err
	}
	c.sent, c.since = &total, time.Time{}
	return nil
}

func (c *Capacity) send(ctx context.Context, total Total) error {
	cluster, err := c.cluster(ctx)
	if err != nil {
		return err
	}
	update := &pb.Cluster{Name: cluster.GetName(), Nodes: total.Nodes, Cpus: total.TRES["cpu"], Tres: total.TRES}
	for name, amount := range cluster.GetTres() {
		if isOfNoNode(name) {
			update.Tres = maps.Clone(update.Tres)
			update.Tres[name] = amount
		}
	}
	mask := &fieldmaskpb.FieldMask{Paths: []string{"cpus", "tres"}}
	if total.Nodes > 0 {
		mask.Paths = append(mask.Paths, "nodes")
	}
	if _, err := c.Admin.UpdateCluster(ctx, &pb.UpdateClusterRequest{Cluster: update, UpdateMask: mask}); err != nil {
		return err
	}
	c.Log.Info("capacity reported", "nodes", total.Nodes, "tres", total.TRES)
	return nil
}

// isOfNoNode reports whether an administrator sets the count of a TRES.
func isOfNoNode(name string) bool {
	return strings.HasPrefix(name, "license/") || strings.HasPrefix(name, "bb/")
}

func (c *Capacity) cluster(ctx context.Context) (*pb.Cluster, error) {
	request := &pb.ListClustersRequest{}
	if c.Cluster != "" {
		request.Names = []string{c.Cluster}
	}
	answer, err := c.Admin.ListClusters(ctx, request)
	if err != nil {
		return nil, err
	}
	if found := answer.GetClusters(); len(found) == 1 {
		return found[0], nil
	}
	return nil, fmt.Errorf("--cluster: got %q, want one of the %d clusters of priorityd", c.Cluster, len(answer.GetClusters()))
}
