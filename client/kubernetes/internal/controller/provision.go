package controller

import (
	"context"
	"slices"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "priorityd.internal/client/priorityv1"
)

// Provision creates in priorityd the missing objects that Workloads name: accounts below Parent (itself below root),
// users in them, a partition for each ClusterQueue. It creates no QOS, whose properties an administrator must set. A
// nil Provision creates nothing.
type Provision struct {
	Admin  pb.AdminServiceClient
	Parent string

	mutex sync.Mutex
	made  map[string]bool
}

const rootAccount = "root"

// Jobs creates the objects that jobs name.
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

// Forget makes the next jobs create all that they name again: priorityd may have been restored from a backup without it.
func (p *Provision) Forget() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.made = nil
}

// wants are the objects to create, each once.
type wants struct {
	keys         []string
	seen         map[string]bool
	associations []*pb.NewAssociation
	partitions   []string
}

func (p *Provision) wanted(jobs []*pb.Job) *wants {
	w := &wants{seen: map[string]bool{}}
	if len(jobs) > 0 && p.Parent != rootAccount && p.isNew(w, "account "+p.Parent) {
		w.associations = append(w.associations, &pb.NewAssociation{Account: p.Parent})
	}
	for _, job := range jobs {
		if p.isNew(w, "account "+job.Account) {
			w.associations = append(w.associations, &pb.NewAssociation{Account: job.Account, ParentAccount: p.Parent})
		}
		if job.User != "" && p.isNew(w, "user "+job.Account+" "+job.User) {
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

// forget makes the next job that names it retry.
func (w *wants) forget(association *pb.NewAssociation) {
	if association.User != "" {
		w.forgetKey("user " + association.Account + " " + association.User)
	} else {
		w.forgetKey("account " + association.Account)
	}
}

func (w *wants) forgetKey(key string) {
	w.keys = slices.DeleteFunc(w.keys, func(other string) bool { return other == key })
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
	if err := p.makePartitions(ctx, w, why); err != nil {
		return err
	}
	if len(w.associations) == 0 {
		return nil
	}
	err := p.associate(ctx, w.associations, why)
	if !isOfOne(err) {
		return err
	}
	// A name that priorityd rejects does not block other jobs: the owner gets the Event that the job is not ranked.
	for _, association := range w.associations {
		switch err := p.associate(ctx, []*pb.NewAssociation{association}, why); {
		case isOfOne(err):
			w.forget(association)
		case err != nil:
			return err
		}
	}
	return nil
}

func (p *Provision) associate(ctx context.Context, associations []*pb.NewAssociation, why *pb.ChangeOptions) error {
	_, err := p.Admin.CreateAssociations(ctx, &pb.CreateAssociationsRequest{
		Associations: associations, AllowExisting: true, Options: why})
	return err
}

// isOfOne reports whether an error may concern one of several objects, not all.
func isOfOne(err error) bool {
	switch status.Code(err) {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.NotFound, codes.AlreadyExists, codes.OutOfRange:
		return true
	default:
		return false
	}
}

// mostPartitions is the largest number of partitions with those that are created: without Kueue each user can name any. It is
// also the most of a call.
const mostPartitions = 1000

// makePartitions does not change existing partitions: an administrator may have set one DOWN. Jobs in a partition that is not
// created are not ranked, and their owners get the Event.
func (p *Provision) makePartitions(ctx context.Context, w *wants, why *pb.ChangeOptions) error {
	if len(w.partitions) == 0 {
		return nil
	}
	there, err := p.Admin.ListPartitions(ctx, &pb.ListPartitionsRequest{})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, partition := range there.GetPartitions() {
		known[partition.GetName()] = true
	}
	missing := slices.DeleteFunc(w.partitions, func(name string) bool { return known[name] })
	room := min(len(missing), max(0, mostPartitions-len(known)))
	for _, name := range missing[room:] {
		w.forgetKey("partition " + name)
	}
	if missing = missing[:room]; len(missing) == 0 {
		return nil
	}
	if err = p.makeUp(ctx, missing, why); !isOfOne(err) {
		return err
	}
	for _, name := range missing {
		switch err := p.makeUp(ctx, []string{name}, why); {
		case isOfOne(err):
			w.forgetKey("partition " + name)
		case err != nil:
			return err
		}
	}
	return nil
}

func (p *Provision) makeUp(ctx context.Context, names []string, why *pb.ChangeOptions) error {
	_, err := p.Admin.UpdatePartitions(ctx, &pb.UpdatePartitionsRequest{Names: names, AllowMissing: true, Options: why,
		Settings: []*pb.Setting{{Name: "State", Value: "UP"}}})
	return err
}
