// Package weigher follows the shares of priorityd, and writes the weights of queues in other schedulers.
package weigher

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"priorityd/kubernetes/internal/targets"
	"priorityd/kubernetes/internal/weights"
)

// Bounds of the configuration.
const (
	mostConfig = 1 << 20
	mostGroups = 100
	mostQueues = 10_000
	mostName   = 253
)

// TargetNames are the fields that can be written.
var TargetNames = append(slices.Sorted(maps.Keys(targets.Kinds)), "armada", "slurm", "yunikorn")

// Config is the file of --config.
type Config struct {
	Groups []GroupConfig `json:"groups"`
}

// GroupConfig is a level of accounts in priorityd, and the queues that have its weights.
type GroupConfig struct {
	Name   string `json:"name"`   // In logs and metrics; default: the target and the parent.
	Parent string `json:"parent"` // The account whose children are the level; default root.
	Target string `json:"target"` // A name of TargetNames.
	// Queues are the queues of accounts; empty = each child has the queue of its name, if there is one.
	Queues map[string]string `json:"queues"`

	Base     string   `json:"base"` // shares or equal
	Gain     *float64 `json:"gain"`
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
	DeadBand *float64 `json:"deadBand"`
	Step     *float64 `json:"step"`
	Interval *string  `json:"interval"`
	Scale    *float64 `json:"scale"` // The value of the field for weight 1, or the difference of priority for twice the weight.

	YuniKorn *YuniKornConfig `json:"yunikorn"`
	Armada   *ArmadaConfig   `json:"armada"`
	Slurm    *SlurmConfig    `json:"slurm"`
}

// YuniKornConfig says where the queues of YuniKorn are.
type YuniKornConfig struct {
	Namespace string `json:"namespace"` // Of the ConfigMap; default yunikorn.
	ConfigMap string `json:"configMap"` // Default yunikorn-configs.
	Key       string `json:"key"`       // Default queues.yaml.
	Partition string `json:"partition"` // Default `default`.
	Parent    string `json:"parent"`    // The path of the queue above, with points; default root.
}

// ArmadaConfig says where Armada's API is.
type ArmadaConfig struct {
	URL       string `json:"url"`       // Of its REST API.
	TokenFile string `json:"tokenFile"` // A file with a bearer token; empty = none.
	StateFile string `json:"stateFile"` // Keeps the records.
}

// SlurmConfig says which cluster gets shares.
type SlurmConfig struct {
	Cluster   string   `json:"cluster"`
	Command   []string `json:"command"` // Default [sacctmgr].
	StateFile string   `json:"stateFile"`
}

// ReadConfig reads a file.
func ReadConfig(path string) (Config, error) {
	file, err := os.Open(path)
	if err != nil {
		return Config{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostConfig+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > mostConfig {
		return Config{}, fmt.Errorf("%s: got more than %d bytes, want at most that", path, mostConfig)
	}
	c, err := ParseConfig(text)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// ParseConfig reads the text of a configuration, checks it, and fills the defaults.
func ParseConfig(text []byte) (Config, error) {
	var c Config
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		return c, err
	}
	if len(c.Groups) == 0 || len(c.Groups) > mostGroups {
		return c, fmt.Errorf("groups: got %d, want 1 to %d", len(c.Groups), mostGroups)
	}
	names, queues := map[string]bool{}, 0
	for i := range c.Groups {
		g := &c.Groups[i]
		if err := g.fill(); err != nil {
			return c, fmt.Errorf("groups[%d].%w", i, err)
		}
		if names[g.Name] {
			return c, fmt.Errorf("groups[%d].name: got %q again, want a name of its own", i, g.Name)
		}
		names[g.Name] = true
		for j := range i {
			if err := g.apartFrom(&c.Groups[j]); err != nil {
				return c, fmt.Errorf("groups[%d].%w", i, err)
			}
		}
		if queues += len(g.Queues); queues > mostQueues {
			return c, fmt.Errorf("groups[%d].queues: got more than %d in all, want at most that", i, mostQueues)
		}
	}
	return c, nil
}

// apartFrom is an error if both groups write the same queue: each would remove the fields and the record of the other. It is
// also one if they keep records of different schedulers in one file.
func (g *GroupConfig) apartFrom(other *GroupConfig) error {
	if g.place() != other.place() {
		if file := g.stateFile(); file != "" && file == other.stateFile() {
			return fmt.Errorf("%s.stateFile: got %q, which group %q has, want a file of its own", g.Target, file, other.Name)
		}
		return nil
	}
	if (len(g.Queues) == 0 || len(other.Queues) == 0) && g.Parent == other.Parent {
		return fmt.Errorf("parent: got %q, whose queues group %q has, want each queue in one group", g.Parent, other.Name)
	}
	theirs := map[string]bool{}
	for _, queue := range other.Queues {
		theirs[queue] = true
	}
	for _, queue := range slices.Sorted(maps.Values(g.Queues)) {
		if theirs[queue] {
			return fmt.Errorf("queues: got %q, which group %q has, want each queue in one group", queue, other.Name)
		}
	}
	return nil
}

// place names the scheduler, and the objects that queues are in it.
func (g *GroupConfig) place() string {
	switch g.Target {
	case "yunikorn":
		y := g.YuniKorn
		return strings.Join([]string{g.Target, y.Namespace, y.ConfigMap, y.Key, y.Partition, y.Parent}, " ")
	case "armada":
		return g.Target + " " + g.Armada.URL
	case "slurm":
		return g.Target + " " + g.Slurm.Cluster
	default:
		return targets.Kinds[g.Target].GroupKind.String()
	}
}

// stateFile is where the records are; empty = in the objects.
func (g *GroupConfig) stateFile() string {
	switch g.Target {
	case "armada":
		return filepath.Clean(g.Armada.StateFile)
	case "slurm":
		return filepath.Clean(g.Slurm.StateFile)
	default:
		return ""
	}
}

func (g *GroupConfig) fill() error {
	if !slices.Contains(TargetNames, g.Target) {
		return fmt.Errorf("target: got %q, want one of %q", g.Target, TargetNames)
	}
	setDefault(&g.Parent, "root")
	setDefault(&g.Name, g.Target+"-"+g.Parent)
	if len(g.Name) > mostName || len(g.Parent) > mostName {
		return fmt.Errorf("name: got %d bytes, with a parent of %d, want at most %d", len(g.Name), len(g.Parent), mostName)
	}
	used := map[string]string{}
	for _, account := range slices.Sorted(maps.Keys(g.Queues)) {
		queue := g.Queues[account]
		if queue == "" || account == "" || len(queue) > mostName || len(account) > mostName {
			return fmt.Errorf("queues: got %.60q for account %.60q, want a name of 1 to %d bytes for a name", queue, account, mostName)
		}
		if other, twice := used[queue]; twice {
			return fmt.Errorf("queues: got %q for %q and %q, want a queue for one account only", queue, other, account)
		}
		used[queue] = account
	}
	rule, err := g.Rule()
	if err != nil {
		return err
	}
	scale, err := g.scale()
	if err != nil {
		return err
	}
	if err := scale.Check(rule); err != nil {
		return err
	}
	return g.fillPlaces()
}

func setDefault(text *string, value string) {
	if *text == "" {
		*text = value
	}
}

// Rule is the rule of the group.
func (g *GroupConfig) Rule() (weights.Rule, error) {
	r := weights.Default
	if g.Base != "" {
		r.Base = weights.Base(g.Base)
	}
	for _, number := range []struct{ from, to *float64 }{{g.Gain, &r.Gain}, {g.Min, &r.Min}, {g.Max, &r.Max}, {g.DeadBand, &r.DeadBand}, {g.Step, &r.Step}} {
		if number.from != nil {
			*number.to = *number.from
		}
	}
	if g.Interval != nil {
		var err error
		if r.Interval, err = time.ParseDuration(*g.Interval); err != nil {
			return r, fmt.Errorf("interval: got %.40q, want a time such as 10m", *g.Interval)
		}
	}
	return r, r.Check()
}

// scale is that of the group's target, with the group's own factor.
func (g *GroupConfig) scale() (weights.Scale, error) {
	s, kind := weights.Scale{}, targets.Kinds[g.Target]
	switch g.Target {
	case "yunikorn":
		s = targets.YuniKornScale
	case "armada":
		s = targets.ArmadaScale
	case "slurm":
		s = targets.SlurmScale
	default:
		s = kind.Scale
	}
	if g.Scale == nil {
		return s, nil
	}
	if !(*g.Scale > 0 && *g.Scale <= 1e6) {
		return s, fmt.Errorf("scale: got %v, want more than 0 and at most 1000000", *g.Scale)
	}
	s.Factor = *g.Scale
	return s, nil
}

// fillPlaces checks and fills the part of the configuration of the group's target.
func (g *GroupConfig) fillPlaces() error {
	for name, given := range map[string]bool{"yunikorn": g.YuniKorn != nil, "armada": g.Armada != nil, "slurm": g.Slurm != nil} {
		if given && name != g.Target {
			return fmt.Errorf("%s: got a setting for target %q, want it for %s only", name, g.Target, name)
		}
	}
	switch g.Target {
	case "yunikorn":
		if g.YuniKorn == nil {
			g.YuniKorn = &YuniKornConfig{}
		}
		setDefault(&g.YuniKorn.Namespace, "yunikorn")
		setDefault(&g.YuniKorn.ConfigMap, "yunikorn-configs")
		setDefault(&g.YuniKorn.Key, "queues.yaml")
		setDefault(&g.YuniKorn.Partition, "default")
		setDefault(&g.YuniKorn.Parent, "root")
	case "armada":
		if g.Armada == nil || !strings.HasPrefix(g.Armada.URL, "http") || g.Armada.StateFile == "" {
			return errors.New("armada: got no url that begins with http, or no stateFile, want both")
		}
		g.Armada.URL = strings.TrimRight(g.Armada.URL, "/")
	case "slurm":
		if g.Slurm == nil || g.Slurm.Cluster == "" || strings.ContainsAny(g.Slurm.Cluster, " ,=") || g.Slurm.StateFile == "" {
			return errors.New("slurm: got no cluster, or no stateFile, want both")
		}
		if len(g.Slurm.Command) == 0 {
			g.Slurm.Command = []string{"sacctmgr"}
		}
	}
	return nil
}

// InKubernetes is true if the target is written through the API server of Kubernetes.
func (g *GroupConfig) InKubernetes() bool { return g.Target != "armada" && g.Target != "slurm" }
