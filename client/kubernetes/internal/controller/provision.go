package controller

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"google.golang.org/grpc/codes"

	"priorityd/client"
	pb "priorityd/client/priorityv1"
)

// Provision makes in priorityd what Workloads name and it does not have: accounts below Parent, users in
// them, a partition for each ClusterQueue, a QOS for each WorkloadPriorityClass. A nil one makes nothing.
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
	qos          []string
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
		for _, qos := range job.Qos {
			if p.isNew(w, "qos "+qos) {
				w.qos = append(w.qos, qos)
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
	if len(w.partitions) > 0 {
		if _, err := p.Admin.UpdatePartitions(ctx, &pb.UpdatePartitionsRequest{
			Names: w.partitions, AllowMissing: true, Options: why,
			Settings: []*pb.Setting{{Name: "State", Value: "UP"}}}); err != nil {
			return err
		}
	}
	for _, qos := range w.qos {
		if err := p.makeQOS(ctx, qos, why); err != nil {
			return err
		}
	}
	if len(w.associations) == 0 {
		return nil
	}
	_, err := p.Admin.CreateAssociations(ctx, &pb.CreateAssociationsRequest{
		Associations: w.associations, AllowExisting: true, Options: why})
	return err
}

// makeQOS makes a QOS that is not there, and has everybody below Parent use it.
func (p *Provision) makeQOS(ctx context.Context, name string, why *pb.ChangeOptions) error {
	_, err := p.Admin.CreateQos(ctx, &pb.CreateQosRequest{Names: []string{name}, Options: why})
	if err != nil {
		if exists(err) {
			return nil
		}
		return err
	}
	_, err = p.Admin.UpdateAssociations(ctx, &pb.UpdateAssociationsRequest{
		Where:    &pb.AssociationFilter{Accounts: []string{cmp.Or(p.Parent, "root")}, Users: []string{""}},
		Settings: []*pb.Setting{{Name: "QOS", Operator: pb.SettingOperator_SETTING_OPERATOR_ADD, Value: name}},
		Options:  why})
	return err
}

func exists(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Code == codes.AlreadyExists
}
