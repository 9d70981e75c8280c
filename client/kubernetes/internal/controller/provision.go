package controller

import (
	"context"
	"slices"
	"sync"

	pb "priorityd/client/priorityv1"
)

// Provision makes in priorityd what Workloads name and it does not have: accounts below Parent, users in
// them, a partition for each ClusterQueue. What a QOS is worth nobody but an administrator can say. A nil one makes nothing.
type Provision struct {
	Admin  pb.AdminServiceClient
	Parent string // Empty = root.

	mutex sync.Mutex
	made  map[string]bool
}

// Jobs makes what jobs name.
func (p *Provision) Jobs(ctx context.Context, jobs []*pb.Job) error {
	if p == nil {
		return nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	wanted := p.wanted(jobs)
	if len(wanted.keys) == 0 {
		return nil
	}
	if err := p.make(ctx, wanted); err != nil {
		return err
	}
	if p.made == nil {
		p.made = map[string]bool{}
	}
	for _, key := range wanted.keys {
		p.made[key] = true
	}
	return nil
}

// wants is what is to be made, each once.
type wants struct {
	keys         []string
	seen         map[string]bool
	associations []*pb.NewAssociation
	partitions   []string
}

func (p *Provision) wanted(jobs []*pb.Job) *wants {
	w := &wants{seen: map[string]bool{}}
	for _, job := range jobs {
		if p.isNew(w, "account "+job.Account) {
			w.associations = append(w.associations, &pb.NewAssociation{Account: job.Account, ParentAccount: p.Parent})
		}
		if p.isNew(w, "user "+job.Account+" "+job.User) {
			w.associations = append(w.associations, &pb.NewAssociation{Account: job.Account, User: job.User})
		}
		for _, partition := range job.Partitions {
			if p.isNew(w, "partition "+partition) {
				w.partitions = append(w.partitions, partition)
			}
		}
	}
	return w
}

func (p *Provision) isNew(w *wants, key string) bool {
	if p.made[key] || w.seen[key] {
		return false
	}
	w.seen[key] = true
	w.keys = append(w.keys, key)
	return true
}

func (p *Provision) make(ctx context.Context, w *wants) error {
	why := &pb.ChangeOptions{Comment: "priorityd-kubernetes: named by a Workload"}
	if err := p.makePartitions(ctx, w.partitions, why); err != nil {
		return err
	}
	if len(w.associations) == 0 {
		return nil
	}
	_, err := p.Admin.CreateAssociations(ctx, &pb.CreateAssociationsRequest{
		Associations: w.associations, AllowExisting: true, Options: why})
	return err
}

// makePartitions leaves those that are there as they are: an administrator may have taken one down.
func (p *Provision) makePartitions(ctx context.Context, wanted []string, why *pb.ChangeOptions) error {
	if len(wanted) == 0 {
		return nil
	}
	there, err := p.Admin.ListPartitions(ctx, &pb.ListPartitionsRequest{})
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		return slices.ContainsFunc(there.GetPartitions(), func(known *pb.Partition) bool { return known.GetName() == name })
	})
	if len(missing) == 0 {
		return nil
	}
	_, err = p.Admin.UpdatePartitions(ctx, &pb.UpdatePartitionsRequest{Names: missing, AllowMissing: true, Options: why,
		Settings: []*pb.Setting{{Name: "State", Value: "UP"}}})
	return err
}
