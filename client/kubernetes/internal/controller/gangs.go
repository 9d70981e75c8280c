package controller

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// gangKey names a gang in the cluster.
type gangKey struct{ namespace, key string }

// gang is the Pods that are released together, and what is known of their number.
type gang struct {
	users map[string]*crew              // By the user of the Pods.
	size  int32                         // By its PodGroup; 0 = not known.
	jobs  map[types.UID]workload.JobSet // Of a JobSet.
	newer time.Time                     // The creation of the newest of them.
}

// sizePatience is how long to wait for further Jobs of a JobSet that does not state their number.
const sizePatience = 10 * time.Second

// declared is the number of Pods by the gang's PodGroup or Jobs; 0 = not known yet.
func (g *gang) declared() int64 {
	pods, of := int64(0), 0
	for _, job := range g.jobs {
		pods, of = pods+int64(job.Pods), max(of, job.Jobs)
	}
	switch {
	case of > len(g.jobs):
		return 0
	case len(g.jobs) > 0:
		return pods
	default:
		return int64(g.size)
	}
}

// states reports whether the gang's size is stated, not only counted from the Jobs that are there.
func (g *gang) states() bool {
	for _, job := range g.jobs {
		if job.Jobs > 0 {
			return true
		}
	}
	return len(g.jobs) == 0
}

// wanted is the number of Pods of a record's gang; 0 = not known.
func (g *gang) wanted(r *workload.Record) int64 {
	if r.Gang.Size > 0 {
		return int64(r.Gang.Size)
	}
	return g.declared()
}

// parts are the waiting and the released, unfinished members of one user, and the number of all that have not failed.
// Nobody joins the turn of another user. They are the gang's own lists.
func (g *gang) parts(user string) (waiting, running []*workload.Record, there int64) {
	if c := g.users[user]; c != nil {
		return c.waiting, c.running, c.there
	}
	return nil, nil, 0
}

// complete reports whether a gang has enough members for a turn, or had its turn and a further member has one alone.
func (b *Book) complete(g *gang, r *workload.Record) bool {
	if _, known := b.jobs[r.Gang.Job]; r.Gang.Key == "" && !known {
		return false
	}
	c, wanted := g.users[r.User], g.wanted(r)
	return c != nil && (wanted > 0 && c.there >= wanted || !c.turn().IsZero())
}

// keyOf is the key of a record's gang; empty = it is alone. A Pod whose Job is not known yet waits for it.
func (b *Book) keyOf(r *workload.Record) string {
	if r.Gang.Job == "" || r.Gang.Key != "" {
		return r.Gang.Key
	}
	if of, known := b.jobs[r.Gang.Job]; known {
		return of.Key
	}
	return "Job/" + string(r.Gang.Job)
}

// gangOf is the gang of a record; nil = it is alone.
func (b *Book) gangOf(r *workload.Record) *gang {
	if r == nil {
		return nil
	}
	if g := b.gangs[gangKey{r.Namespace, b.keyOf(r)}]; g != nil && (g.wanted(r) != 1 || !g.states()) {
		return g
	}
	return nil
}

// gangAt is the gang of a name, also a new one.
func (b *Book) gangAt(namespace, key string) *gang {
	name := gangKey{namespace, key}
	if b.gangs[name] == nil {
		b.gangs[name] = &gang{users: map[string]*crew{}, jobs: map[types.UID]workload.JobSet{}}
	}
	return b.gangs[name]
}

// forgetEmpty forgets a gang without members, Jobs and size.
func (b *Book) forgetEmpty(namespace, key string) {
	name := gangKey{namespace, key}
	if g := b.gangs[name]; g != nil && len(g.users) == 0 && len(g.jobs) == 0 && g.size == 0 {
		delete(b.gangs, name)
	}
}

// move replaces a record of the book by another one in their gangs; nil = none.
func (b *Book) move(from, to *workload.Record) {
	if from != nil {
		b.leave(from)
	}
	if to != nil {
		b.join(to)
	}
}

func (b *Book) leave(r *workload.Record) {
	if key := b.keyOf(r); key != "" {
		b.gangAt(r.Namespace, key).drop(r)
		b.forgetEmpty(r.Namespace, key)
	}
}

func (b *Book) join(r *workload.Record) {
	if key := b.keyOf(r); key != "" {
		b.gangAt(r.Namespace, key).add(r)
	}
}

// heads are the records that stand for a gang in priorityd: the first waiting and the first running one.
func (b *Book) heads(records ...*workload.Record) []*workload.Record {
	var heads []*workload.Record
	for _, r := range records {
		g := b.gangOf(r)
		if g == nil {
			continue
		}
		waiting, running, _ := g.parts(r.User)
		for _, part := range [][]*workload.Record{waiting, running} {
			if len(part) > 0 {
				heads = append(heads, part[0])
			}
		}
	}
	return heads
}

// notifyHeads notifies of the records that stand for gangs, now or before, except one.
func (b *Book) notifyHeads(heads []*workload.Record, except types.UID) {
	done := map[types.UID]bool{except: true}
	for _, head := range heads {
		if r := b.records[head.UID]; r != nil && !done[r.UID] {
			done[r.UID] = true
			b.notify(r)
		}
	}
}

// SetPodGroup sets the gang of a PodGroup.
func (b *Book) SetPodGroup(namespace string, group workload.Gang, there bool) {
	b.changeGang(namespace, group.Key, func(g *gang) {
		g.size = group.Size
		if !there {
			g.size = 0
		}
	})
}

// SetJob sets a Job, which may be one of a JobSet. One that is being deleted is none: its successor has its name.
func (b *Book) SetJob(j *batchv1.Job, there bool) {
	there = there && j.DeletionTimestamp == nil
	b.mutex.Lock()
	defer b.mutex.Unlock()
	before, known := b.jobs[j.UID]
	after := workload.JobSetOf(j)
	if known == there && (!there || before == after) {
		return
	}
	members := b.ofJob(j)
	heads := b.heads(members...)
	for _, r := range members {
		b.leave(r)
	}
	b.changeJob(j.Namespace, before.Key, func(g *gang) { delete(g.jobs, j.UID) })
	if delete(b.jobs, j.UID); there {
		b.jobs[j.UID] = after
		b.changeJob(j.Namespace, after.Key, func(g *gang) {
			g.jobs[j.UID], g.newer = after, latest(g.newer, j.CreationTimestamp.Time)
		})
	}
	for _, r := range members {
		b.join(r)
	}
	b.notifyHeads(slices.Concat(members, heads, b.heads(members...)), "")
}

// ofJob are the members of a Job's gang that the Job controls.
func (b *Book) ofJob(j *batchv1.Job) []*workload.Record {
	var members []*workload.Record
	key := b.keyOf(&workload.Record{Gang: workload.Gang{Job: j.UID}})
	if g := b.gangs[gangKey{j.Namespace, key}]; g != nil {
		for _, c := range g.users {
			for _, r := range c.members {
				if r.Gang.Job == j.UID {
					members = append(members, r)
				}
			}
		}
	}
	return members
}

func (b *Book) changeJob(namespace, key string, change func(*gang)) {
	if key != "" {
		b.change(namespace, key, change)
	}
}

func (b *Book) changeGang(namespace, key string, change func(*gang)) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.change(namespace, key, change)
}

func (b *Book) change(namespace, key string, change func(*gang)) {
	g := b.gangAt(namespace, key)
	before := g.declared()
	change(g)
	if g.declared() != before {
		for _, c := range g.users {
			for _, r := range c.members {
				b.notify(r)
			}
		}
	}
	b.forgetEmpty(namespace, key)
}

// Together are the waiting records that are released with one: itself, or the members of its gang. Nil = it does not
// stand for its gang, or not all members are there yet.
func (b *Book) Together(r *workload.Record, now time.Time) []*workload.Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	g := b.gangOf(r)
	if g == nil {
		return []*workload.Record{r}
	}
	waiting, _, _ := g.parts(r.User)
	if len(waiting) == 0 || waiting[0].UID != r.UID || !b.complete(g, r) || !g.states() && now.Sub(g.newer) < sizePatience {
		return nil
	}
	return slices.Clone(waiting)
}

// Counted is the number of Jobs of a record's JobSet if the JobSet does not state it; 0 = it does, or there is none.
func (b *Book) Counted(r *workload.Record) int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if g := b.gangOf(r); g != nil && !g.states() {
		return len(g.jobs)
	}
	return 0
}

// First are the waiting records that stand for the gangs of these, in order; held ones are left out.
func (b *Book) First(of map[types.UID]bool) []*workload.Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var records []*workload.Record
	for uid := range of {
		records = append(records, b.records[uid])
	}
	first := slices.DeleteFunc(b.heads(records...), func(r *workload.Record) bool { return !r.Pending() || r.Held })
	slices.SortFunc(first, inOrder)
	return slices.Compact(first)
}

// Job is the job of a record in priorityd; nil = it has none. A gang is one job while it waits and one while it runs,
// each of its first member. An incomplete gang is held.
func (b *Book) Job(r *workload.Record) *pb.Job {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	place := b.placeOf(r)
	if place.Partition == "" { // It has no start order.
		return nil
	}
	g := b.gangOf(r)
	if g == nil {
		return r.Job(place)
	}
	waiting, running, _ := g.parts(r.User)
	part := running
	if r.Pending() {
		part = waiting
	}
	if len(part) == 0 || part[0].UID != r.UID {
		return nil
	}
	whole := workload.Together(part)
	whole.Held = whole.Held || r.Pending() && !b.complete(g, r)
	return whole.Job(place)
}
