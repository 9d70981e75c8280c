// Package controller orders Kueue's Workloads by priorityd's ranking, and records their usage in priorityd.
package controller

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
)

// Book is the state that the informers have reported: every Workload as a record, the account of its namespace
// and the ClusterQueue of its queue. Safe for concurrent use. Its records are immutable.
type Book struct {
	options PlaceOptions

	mutex         sync.Mutex
	records       map[types.UID]*workload.Record
	localQueues   map[types.NamespacedName]string
	clusterQueues map[string]bool
	quotas        map[string]Total
	gangs         map[gangKey]*gang
	jobs          map[types.UID]workload.JobSet // Of all Jobs.
	namespaces    map[string]map[string]string
	ranges        map[string]map[string]corev1.ResourceList // The default requests of LimitRanges, by namespace and name.
	accounts      workload.Accounts
	users         workload.Users
	mapped        bool // The maps were set.
	observers     []Observer
}

// PlaceOptions are the defaults of a Workload's user and QOS, and whose work is not ours.
type PlaceOptions struct {
	DefaultUser  string // The user of Workloads without a user label.
	QOSFromClass bool   // The WorkloadPriorityClass is the QOS.
	// Slurms are the namespaces in which slurm-bridge sets the scheduler of Pods: work there is Slurm's.
	Slurms map[string]bool
}

// Observer is notified of changes, one after the other; it must return quickly.
type Observer interface {
	// Changed: the record is new or has changed; queue is its ClusterQueue, empty = not known.
	Changed(record *workload.Record, queue string)
	// Gone: the Workload was deleted; record is the last known one.
	Gone(record *workload.Record, queue string)
}

// NewBook makes an empty book.
func NewBook(options PlaceOptions) *Book {
	return &Book{options: options,
		records:       map[types.UID]*workload.Record{},
		localQueues:   map[types.NamespacedName]string{},
		clusterQueues: map[string]bool{},
		quotas:        map[string]Total{},
		gangs:         map[gangKey]*gang{},
		jobs:          map[types.UID]workload.JobSet{},
		namespaces:    map[string]map[string]string{},
		ranges:        map[string]map[string]corev1.ResourceList{},
	}
}

// Observe adds an observer of later changes.
func (b *Book) Observe(observer Observer) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.observers = append(b.observers, observer)
}

// Put takes a record, unless the book has a newer one of the same Workload.
func (b *Book) Put(r *workload.Record) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	known := b.records[r.UID]
	if known != nil && known.Version > r.Version {
		return
	}
	b.replace(known, b.withDefaults(r))
}

// WithDefaults is a record with what LimitRanges add to its requests.
func (b *Book) WithDefaults(r *workload.Record) *workload.Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.withDefaults(r)
}

func (b *Book) withDefaults(r *workload.Record) *workload.Record {
	if defaults := b.defaultsOf(r.Namespace); defaults != nil {
		return r.WithDefaults(defaults)
	}
	return r
}

func (b *Book) replace(known, r *workload.Record) {
	heads := b.heads(known, r)
	b.records[r.UID] = r
	b.move(known, r)
	b.notify(r)
	b.notifyHeads(append(heads, b.heads(r)...), r.UID)
}

func (b *Book) notify(r *workload.Record) {
	for _, observer := range b.observers {
		observer.Changed(r, b.queueOf(r))
	}
}

// Delete forgets a deleted Workload.
func (b *Book) Delete(r *workload.Record) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if known := b.records[r.UID]; known != nil && known.Version > r.Version {
		r = known
	}
	known, heads := b.records[r.UID], b.heads(r)
	delete(b.records, r.UID)
	b.move(known, nil)
	defer b.notifyHeads(append(heads, b.heads(r)...), r.UID)
	for _, observer := range b.observers {
		observer.Gone(r, b.queueOf(r))
	}
}

// SetLocalQueue sets the ClusterQueue of a LocalQueue; empty = it was deleted.
func (b *Book) SetLocalQueue(name types.NamespacedName, clusterQueue string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.localQueues[name] == clusterQueue {
		return
	}
	if b.localQueues[name] = clusterQueue; clusterQueue == "" {
		delete(b.localQueues, name)
	}
	b.notifyIf(func(r *workload.Record) bool { return r.Namespace == name.Namespace && r.Queue == name.Name })
}

// SetClusterQueue sets whether a ClusterQueue exists.
func (b *Book) SetClusterQueue(name string, there bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if there {
		b.clusterQueues[name] = true
	} else {
		delete(b.clusterQueues, name)
	}
}

// SetQuota sets the nominal quota of a ClusterQueue.
func (b *Book) SetQuota(name string, quota Total) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.quotas[name] = quota
}

// Quota is the sum of all ClusterQueues' quotas.
func (b *Book) Quota() Total {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	sum := Total{TRES: workload.TRES{}}
	for _, quota := range b.quotas {
		sum.Nodes += quota.Nodes
		for name, amount := range quota.TRES {
			sum.TRES[name] += amount
		}
	}
	return sum
}

// SetNamespace sets the labels of a namespace.
func (b *Book) SetNamespace(name string, labels map[string]string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	before := b.accounts.Of(name, b.namespaces[name])
	b.namespaces[name] = labels
	if b.accounts.Of(name, labels) != before {
		b.notifyIf(func(r *workload.Record) bool { return r.Namespace == name })
	}
}

// SetLimitRange sets the default requests of a LimitRange; nil = it has none, or was deleted.
func (b *Book) SetLimitRange(name types.NamespacedName, requests corev1.ResourceList) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	before := b.defaultsOf(name.Namespace)
	if len(requests) == 0 {
		delete(b.ranges[name.Namespace], name.Name)
	} else if b.ranges[name.Namespace] == nil {
		b.ranges[name.Namespace] = map[string]corev1.ResourceList{name.Name: requests}
	} else {
		b.ranges[name.Namespace][name.Name] = requests
	}
	if len(b.ranges[name.Namespace]) == 0 {
		delete(b.ranges, name.Namespace)
	}
	after := b.defaultsOf(name.Namespace)
	if equality.Semantic.DeepEqual(before, after) {
		return
	}
	for _, r := range b.records {
		if r.Kind == workload.KindJob && r.Namespace == name.Namespace {
			b.replace(r, r.WithDefaults(after))
		}
	}
}

// defaultsOf is what the containers of a namespace request by default; nil = nothing. Of several LimitRanges with a default of
// one resource the API server takes any: the largest one counts.
func (b *Book) defaultsOf(namespace string) corev1.ResourceList {
	var defaults corev1.ResourceList
	for _, requests := range b.ranges[namespace] {
		for name, amount := range requests {
			if known, ok := defaults[name]; ok && known.Cmp(amount) >= 0 {
				continue
			}
			if defaults == nil {
				defaults = corev1.ResourceList{}
			}
			defaults[name] = amount
		}
	}
	return defaults
}

// SetAccounts sets the maps from namespaces to accounts, and from users of Kubernetes to users of priorityd.
func (b *Book) SetAccounts(accounts workload.Accounts, users workload.Users) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.accounts, b.users, b.mapped = accounts, users, true
	b.notifyIf(func(*workload.Record) bool { return true })
}

// HasAccounts reports whether the maps were set.
func (b *Book) HasAccounts() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.mapped
}

func (b *Book) notifyIf(fits func(*workload.Record) bool) {
	for _, r := range b.records {
		if fits(r) {
			b.notify(r)
		}
	}
}

// Get is the record of a Workload, nil = none, and its place.
func (b *Book) Get(uid types.UID) (*workload.Record, workload.Place) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	r := b.records[uid]
	if r == nil {
		return nil, workload.Place{}
	}
	return r, b.placeOf(r)
}

// PlaceOf is the account, user, partition and QOS of a record, also after its Workload was deleted.
func (b *Book) PlaceOf(r *workload.Record) workload.Place {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.placeOf(r)
}

// Records are all records, or the unfinished ones of one ClusterQueue.
func (b *Book) Records(clusterQueue string) []*workload.Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var all []*workload.Record
	for _, r := range b.records {
		if clusterQueue == "" || r.Finished.IsZero() && b.queueOf(r) == clusterQueue {
			all = append(all, r)
		}
	}
	return all
}

// ClusterQueues are the names of all ClusterQueues.
func (b *Book) ClusterQueues() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var names []string
	for name := range b.clusterQueues {
		names = append(names, name)
	}
	return names
}

func (b *Book) queueOf(r *workload.Record) string {
	if r.ClusterQueue != "" {
		return r.ClusterQueue
	}
	return b.localQueues[types.NamespacedName{Namespace: r.Namespace, Name: r.Queue}]
}

func (b *Book) placeOf(r *workload.Record) workload.Place {
	place := workload.Place{
		Account:   b.accounts.Of(r.Namespace, b.namespaces[r.Namespace]),
		User:      b.users.Of(r.User),
		Partition: b.queueOf(r),
	}
	if place.User == "" {
		place.User = b.options.DefaultUser
	}
	if b.options.QOSFromClass {
		place.QOS = r.Class
	}
	return place
}

// recordOf is the record of an object; nil = our labels do not select it, or it is Slurm's. A released object stays ours
// whatever its labels are.
func (b *Book) recordOf(object client.Object) *workload.Record {
	if r := recordOf(object); r != nil && !b.options.Slurms[r.Namespace] {
		return r
	}
	known, _ := b.Get(object.GetUID())
	if known == nil || known.Reserved.IsZero() {
		return nil
	}
	r := chargedRecordOf(object)
	if r != nil && r.Queue == "" {
		r.Queue, r.ClusterQueue = known.Queue, known.ClusterQueue
	}
	return r
}

// since is the age of a time; zero for a zero time.
func since(t time.Time, now time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return now.Sub(t)
}
