package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

const (
	ledgerPrefix = "priorityd-ledger-" // And the UID of the charged object.
	// ledgerLabel of a ConfigMap is the mode of the ledger's controller: plain or kueue.
	ledgerLabel = "priorityd/ledger"
	ledgerKey   = "ledger"
	ledgerPage  = 1000
)

// Kept is a ledger with the name of its object.
type Kept struct {
	Kind   workload.Kind
	UID    types.UID
	Name   types.NamespacedName // Empty = it names no object.
	Ledger usage.Ledger
	Fault  string // The reason that a stored ledger could not be read and is empty here; empty = it could.
}

// KeptOf is the ledger of a record.
func KeptOf(r *workload.Record, ledger usage.Ledger) Kept {
	return Kept{Kind: r.Kind, UID: r.UID, Name: r.Key(), Ledger: ledger}
}

// Record is the record of a deleted Workload, as far as its ledger has it.
func (k Kept) Record() *workload.Record {
	return &workload.Record{Kind: k.Kind, UID: k.UID, Namespace: k.Name.Namespace, Name: k.Name.Name}
}

// Ledgers stores ledgers where owners of Workloads cannot write. One controller writes at a time.
type Ledgers interface {
	// Load reads all ledgers. Since is when they were first stored: ledgers in owners' objects are valid only for
	// objects created earlier.
	Load(ctx context.Context) (all []Kept, since time.Time, err error)
	// Keep stores a ledger. An OutdatedError has the ledger that another controller wrote meanwhile.
	Keep(ctx context.Context, kept Kept) error
	// Drop deletes a ledger; a missing one is no error.
	Drop(ctx context.Context, uid types.UID) error
}

// OutdatedError reports that another controller has written the ledger.
type OutdatedError struct{ Stored Kept }

func (e *OutdatedError) Error() string {
	return fmt.Sprintf("the ledger of %s was written by another controller", e.Stored.UID)
}

// ConfigMaps is the Ledgers of a real API server: a ConfigMap for each, in the controller's namespace. A charged
// object does not own its ledger, which therefore outlives it.
type ConfigMaps struct {
	Client    client.Client // Only its uncached calls are used.
	Reader    client.Reader // Not cached.
	Namespace string
	Mode      string
	Limit     *rate.Limiter

	mutex    sync.Mutex
	versions map[types.UID]string // The resourceVersions of the existing ones.
}

// Load reads all ledgers of this mode.
func (c *ConfigMaps) Load(ctx context.Context) ([]Kept, time.Time, error) {
	since, err := c.since(ctx)
	if err != nil {
		return nil, since, err
	}
	all, err := c.list(ctx)
	return all, since, err
}

func (c *ConfigMaps) list(ctx context.Context) ([]Kept, error) {
	var all []Kept
	versions := map[types.UID]string{}
	page := ""
	for {
		var list corev1.ConfigMapList
		err := c.Reader.List(ctx, &list, client.InNamespace(c.Namespace), client.MatchingLabels{ledgerLabel: c.Mode},
			client.Limit(ledgerPage), client.Continue(page))
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			kept := c.read(&list.Items[i])
			all = append(all, kept)
			versions[kept.UID] = list.Items[i].ResourceVersion
		}
		if page = list.Continue; page == "" {
			break
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.versions = versions
	return all, nil
}

func (c *ConfigMaps) read(config *corev1.ConfigMap) Kept {
	ledger, err := usage.ParseLedger(config.Data[ledgerKey])
	kept := Kept{Kind: workload.Kind(config.Data["kind"]), UID: types.UID(strings.TrimPrefix(config.Name, ledgerPrefix)),
		Name: types.NamespacedName{Namespace: config.Data["namespace"], Name: config.Data["name"]}, Ledger: ledger}
	if err == nil && config.Data[ledgerKey] == "" {
		err = errors.New("ledger: got nothing, want a ledger of priorityd-kubernetes")
	}
	if named := c.checkName(kept); named != nil {
		err, kept.Name = errors.Join(err, named), types.NamespacedName{}
	}
	if err != nil {
		kept.Fault = fmt.Sprintf("ConfigMap %s/%s: %v", config.Namespace, config.Name, err)
	}
	return kept
}

// charges are the kinds of objects that a mode charges.
var charges = map[string][]workload.Kind{"kueue": {workload.KindWorkload}, "plain": {workload.KindJob, workload.KindPod}}

// checkName is an error if a ledger names no object of its mode: a request for it would fail each time.
func (c *ConfigMaps) checkName(kept Kept) error {
	if !slices.Contains(charges[c.Mode], kept.Kind) {
		return fmt.Errorf("kind: got %.40q, want one of %q", kept.Kind, charges[c.Mode])
	}
	for field, name := range map[string]string{"namespace": kept.Name.Namespace, "name": kept.Name.Name} {
		if name == "" || len(path.IsValidPathSegmentName(name)) > 0 {
			return fmt.Errorf("%s: got %.40q, want the name of an object", field, name)
		}
	}
	return nil
}

func (c *ConfigMaps) objectOf(kept Kept) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: ledgerPrefix + string(kept.UID), Labels: map[string]string{ledgerLabel: c.Mode}},
		Data:       map[string]string{"kind": string(kept.Kind), "namespace": kept.Name.Namespace, "name": kept.Name.Name, ledgerKey: kept.Ledger.String()},
	}
}

// Keep creates the ConfigMap, or replaces it if its version is the last seen one.
func (c *ConfigMaps) Keep(ctx context.Context, kept Kept) error {
	if err := c.Limit.Wait(ctx); err != nil {
		return err
	}
	object := c.objectOf(kept)
	err := c.write(ctx, object, kept.UID)
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return c.outdated(ctx, kept.UID)
	}
	if apierrors.IsNotFound(err) { // It was deleted: the next attempt creates it.
		c.remember(kept.UID, "")
	}
	if err != nil {
		writeFailures.Inc()
		return err
	}
	writes.Inc()
	c.remember(kept.UID, object.ResourceVersion)
	return nil
}

func (c *ConfigMaps) write(ctx context.Context, object *corev1.ConfigMap, uid types.UID) error {
	c.mutex.Lock()
	object.ResourceVersion = c.versions[uid]
	c.mutex.Unlock()
	if object.ResourceVersion == "" {
		return c.Client.Create(ctx, object)
	}
	return c.Client.Update(ctx, object)
}

func (c *ConfigMaps) remember(uid types.UID, version string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if version == "" {
		delete(c.versions, uid)
		return
	}
	if c.versions == nil {
		c.versions = map[types.UID]string{}
	}
	c.versions[uid] = version
}

// outdated is the error with the stored ledger.
func (c *ConfigMaps) outdated(ctx context.Context, uid types.UID) error {
	var stored corev1.ConfigMap
	if err := c.Reader.Get(ctx, types.NamespacedName{Namespace: c.Namespace, Name: ledgerPrefix + string(uid)}, &stored); err != nil {
		if apierrors.IsNotFound(err) {
			c.remember(uid, "")
		}
		return err
	}
	c.remember(uid, stored.ResourceVersion)
	return &OutdatedError{c.read(&stored)}
}

// Drop deletes the ConfigMap.
func (c *ConfigMaps) Drop(ctx context.Context, uid types.UID) error {
	if err := c.Limit.Wait(ctx); err != nil {
		return err
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: ledgerPrefix + string(uid)}}
	if err := client.IgnoreNotFound(c.Client.Delete(ctx, object)); err != nil {
		writeFailures.Inc()
		return err
	}
	writes.Inc()
	c.remember(uid, "")
	return nil
}

const sinceName = "priorityd-ledgers-since"

// since is the creation time of a ConfigMap that exists only for it.
func (c *ConfigMaps) since(ctx context.Context) (time.Time, error) {
	key := types.NamespacedName{Namespace: c.Namespace, Name: sinceName + "-" + c.Mode}
	var config corev1.ConfigMap
	err := c.Reader.Get(ctx, key, &config)
	if apierrors.IsNotFound(err) {
		config = corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		err = c.Client.Create(ctx, &config)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("ConfigMap %s: %w", key, err)
	}
	return config.CreationTimestamp.Time, nil
}
