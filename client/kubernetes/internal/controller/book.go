// Package controller puts Kueue's Workloads in the order that priorityd gives them, and tells it what they use.
package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/workload"
)

// Book is what the informers have told: every Workload as a record, and where its namespace and queue lead.
// Safe for concurrent use. Records in it are not changed any more.
type Book struct {
	options PlaceOptions

	mutex         sync.Mutex
	records       map[types.UID]*workload.Record
	localQueues   map[types.NamespacedName]string
	clusterQueues map[string]bool
	quotas        map[string]Total
	namespaces    map[string]map[string]string
	accounts      workload.Accounts
	users         workload.Users
	observers     []Observer
}

// PlaceOptions say where Workloads stand that do not say it all themselves.
type PlaceOptions struct {
	DefaultUser  string // Of Workloads that nobody is stamped on.
	QOSFromClass bool   // The WorkloadPriorityClass is the QOS.
}

// Observer is told of changes, one after the other; it must be quick.
type Observer interface {
	// Changed: the record is new, or another one; queue is its ClusterQueue, empty = not known.
	Changed(record *workload.Record, queue string)
	// Gone: the Workload was deleted; record is the last that was known.
	Gone(record *workload.Record, queue string)
}

// NewBook makes an empty one.
func NewBook(options PlaceOptions) *Book {
	return &Book{options: options,
		records:       map[types.UID]*workload.Record{},
		localQueues:   map[types.NamespacedName]string{},
		clusterQueues: map[string]bool{},
		quotas:        map[string]Total{},
		namespaces:    map[string]map[string]string{},
	}
}

// Observe tells another observer from now on.
func (b *Book) Observe(observer Observer) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.observers = append(b.observers, observer)
}

// Put takes a record, unless a newer one of the same Workload is there.
func (b *Book) Put(r *workload.Record) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if known := b.records[r.UID]; known != nil && known.Version > r.Version {
		return
	}
	b.records[r.UID] = r
	b.tell(r)
}

func (b *Book) tell(r *workload.Record) {
	for _, observer := range b.observers {
		observer.Changed(r, b.queueOf(r))
	}
}

// Delete forgets a Workload that is no more.
func (b *Book) Delete(r *workload.Record) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if known := b.records[r.UID]; known != nil && known.Version > r.Version {
		r = known
	}
	delete(b.records, r.UID)
	for _, observer := range b.observers {
		observer.Gone(r, b.queueOf(r))
	}
}

// SetLocalQueue takes where a LocalQueue leads; empty = it is no more.
func (b *Book) SetLocalQueue(name types.NamespacedName, clusterQueue string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.localQueues[name] == clusterQueue {
		return
	}
	b.localQueues[name] = clusterQueue
	b.tellIf(func(r *workload.Record) bool { return r.Namespace == name.Namespace && r.Queue == name.Name })
}

// SetClusterQueue takes that a ClusterQueue is there, or is no more.
func (b *Book) SetClusterQueue(name string, there bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if there {
		b.clusterQueues[name] = true
	} else {
		delete(b.clusterQueues, name)
	}
}

// SetQuota takes what a ClusterQueue has of its own.
func (b *Book) SetQuota(name string, quota Total) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.quotas[name] = quota
}

// Quota is what all ClusterQueues have together.
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

// SetNamespace takes the labels of a namespace.
func (b *Book) SetNamespace(name string, labels map[string]string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	before := b.accounts.Of(name, b.namespaces[name])
	b.namespaces[name] = labels
	if b.accounts.Of(name, labels) != before {
		b.tellIf(func(r *workload.Record) bool { return r.Namespace == name })
	}
}

// SetAccounts takes which namespaces are charged to which accounts, and who users of Kubernetes are.
func (b *Book) SetAccounts(accounts workload.Accounts, users workload.Users) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.accounts, b.users = accounts, users
	b.tellIf(func(*workload.Record) bool { return true })
}

func (b *Book) tellIf(fits func(*workload.Record) bool) {
	for _, r := range b.records {
		if fits(r) {
			b.tell(r)
		}
	}
}

// Get is the record of a Workload, nil if there is none, and its place.
func (b *Book) Get(uid types.UID) (*workload.Record, workload.Place) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	r := b.records[uid]
	if r == nil {
		return nil, workload.Place{}
	}
	return r, b.placeOf(r)
}

// PlaceOf is where a record stands, also after its Workload was deleted.
func (b *Book) PlaceOf(r *workload.Record) workload.Place {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.placeOf(r)
}

// Records is all of them, or those of one ClusterQueue that are not over.
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

// ClusterQueues is the names of them all.
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

// recordOf is the record of an object. One that had its turn stays ours whatever its labels say; nil = it is not ours.
func (b *Book) recordOf(object client.Object) *workload.Record {
	if r := recordOf(object); r != nil {
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

// since is how long ago a time was; nothing for a zero time.
func since(t time.Time, now time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return now.Sub(t)
}
