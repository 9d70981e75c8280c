package weigher

import (
	"net/http"
	"time"

	"k8s.io/client-go/tools/events"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/targets"
)

// Groups are the groups of a configuration. The client and the recorder are nil if no group needs Kubernetes.
func Groups(c Config, client kube.Client, recorder events.EventRecorder) ([]*Group, error) {
	var groups []*Group
	for i := range c.Groups {
		from := &c.Groups[i]
		rule, err := from.Rule()
		if err != nil {
			return nil, err
		}
		target, err := from.target(client, recorder)
		if err != nil {
			return nil, err
		}
		groups = append(groups, &Group{Name: from.Name, Parent: from.Parent, Queues: from.Queues, Rule: rule, Target: target})
	}
	return groups, nil
}

func (g *GroupConfig) target(client kube.Client, recorder events.EventRecorder) (targets.Target, error) {
	scale, err := g.scale()
	if err != nil {
		return nil, err
	}
	switch g.Target {
	case "yunikorn":
		y := g.YuniKorn
		return &targets.YuniKorn{Namespace: y.Namespace, ConfigMap: y.ConfigMap, Key: y.Key, Partition: y.Partition, Parent: y.Parent,
			In: scale, Client: client, Recorder: recorder}, nil
	case "armada":
		a := g.Armada
		return &targets.Armada{URL: a.URL, TokenFile: a.TokenFile, StateFile: a.StateFile, In: scale, HTTP: &http.Client{Timeout: time.Minute}}, nil
	case "slurm":
		s := g.Slurm
		return &targets.Slurm{Cluster: s.Cluster, Command: s.Command, StateFile: s.StateFile, In: scale, Run: targets.RunCommand}, nil
	}
	kind := targets.Kinds[g.Target]
	kind.Scale = scale
	return &targets.Objects{Kind: kind, Client: client, Recorder: recorder}, nil
}
