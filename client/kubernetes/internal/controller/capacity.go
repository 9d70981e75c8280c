package controller

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	pb "priorityd/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

const (
	capacityEvery = 5 * time.Second
	// capacityPatience is how long a total that keeps changing is waited for.
	capacityPatience = time.Minute
)

// Total is what there is for work: ClusterQueues' quotas, or nodes.
type Total struct {
	Nodes uint32 // Nodes, or Pods where ClusterQueues limit them; 0 = not known.
	TRES  workload.TRES
}

func (t Total) equal(other Total) bool {
	return t.Nodes == other.Nodes && maps.Equal(t.TRES, other.TRES)
}

// Capacity tells priorityd how much there is, for factors that set what a job asks for against it: at first, and once a
// change of it has lasted.
type Capacity struct {
	Admin   pb.AdminServiceClient
	Cluster string       // Empty = the only one there is.
	Count   func() Total // What there is now.
	Now     func() time.Time
	Log     logr.Logger

	told  *Total
	seen  Total
	since time.Time // Since when something is to be told; zero = nothing is.
}

// Start tells until the context ends.
func (c *Capacity) Start(ctx context.Context) error {
	c.told = nil
	return inTurns(ctx, nil, 0, capacityEvery, func(ctx context.Context) {
		if err := c.turn(ctx); err != nil && ctx.Err() == nil {
			c.Log.Info("priorityd is not told what there is; it is tried again", "error", err.Error())
		}
	})
}

// turn tells what was the same twice, or has changed for long enough.
func (c *Capacity) turn(ctx context.Context) error {
	total := c.Count()
	lasts := total.equal(c.seen)
	c.seen = total
	if len(total.TRES) == 0 || c.told != nil && total.equal(*c.told) {
		c.since = time.Time{}
		return nil
	}
	if c.since.IsZero() {
		c.since = c.Now()
	}
	if !lasts && c.Now().Sub(c.since) < capacityPatience {
		return nil
	}
	if err := c.tell(ctx, total); err != nil {
		return err
	}
	c.told, c.since = &total, time.Time{}
	return nil
}

func (c *Capacity) tell(ctx context.Context, total Total) error {
	cluster, err := c.cluster(ctx)
	if err != nil {
		return err
	}
	told := &pb.Cluster{Name: cluster.GetName(), Nodes: total.Nodes, Cpus: total.TRES["cpu"], Tres: total.TRES}
	for name, amount := range cluster.GetTres() {
		if isOfNoNode(name) {
			told.Tres = maps.Clone(told.Tres)
			told.Tres[name] = amount
		}
	}
	mask := &fieldmaskpb.FieldMask{Paths: []string{"cpus", "tres"}}
	if total.Nodes > 0 {
		mask.Paths = append(mask.Paths, "nodes")
	}
	if _, err := c.Admin.UpdateCluster(ctx, &pb.UpdateClusterRequest{Cluster: told, UpdateMask: mask}); err != nil {
		return err
	}
	c.Log.Info("priorityd knows what there is", "nodes", total.Nodes, "tres", total.TRES)
	return nil
}

// isOfNoNode is whether a TRES is one that an administrator counts.
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
