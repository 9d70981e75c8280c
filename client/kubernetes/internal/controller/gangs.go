package controller

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/workload"
)

// gangKey names a gang in the cluster.
type gangKey struct{ namespace, key string }

// gang is the Pods that are released together, and what is known of their number.
type gang struct {
	users map[string]*crew        // By the user of the Pods.
	size  int32                   // By its PodGroup; 0 = not known.
	jobs  map[types.UID]jobOfASet // Of a JobSet.
}

// jobOfASet is a Job of a JobSet.
type jobOfASet struct {
	pods int32 // At a time.
	of   int   // The number of the JobSet's Jobs.
}

// declared is the number of Pods by the gang's PodGroup or Jobs; 0 = not known yet, false = neither declares it.
func (g *gang) declared() (pods int32, by bool) {
	of := 0
	for _, job := range g.jobs {
		pods, of = pods+job.pods, max(of, job.of)
	}
	switch {
	case of > len(g.jobs):
		return 0, true
	case of > 0:
		return pods, true
	default:
		return g.size, g.size > 0
	}
}

// wanted is the number of Pods of the gang, if need be by its Pods of one user; 0 = not known.
func (g *gang) wanted(user string) int32 {
	pods, by := g.declared()
	if by {
		return pods
	}
	if c := g.users[user]; c != nil && len(c.sizes) > 0 {
		pods = max(pods, c.sizes[len(c.sizes)-1])
	}
	return pods
}

// parts are the waiting and the released, unfinished members of one user, and the number of all that have not failed.
// Nobody joins the turn of another user. They are the gang's own lists.
func (g *gang) parts(user string) (waiting, running []*workload.Record, there int32) {
	if c := g.users[user]; c != nil {
		return c.waiting, c.running, c.there
	}
	return nil, nil, 0
}

// complete reports whether so many members are enough for a turn.
func (g *gang) complete(user string, there int32) bool {
	wanted := g.wanted(user)
	return wanted > 0 && there >= wanted
}

// gangOf is the gang of a record; nil = it is alone.
func (b *Book) gangOf(r *workload.Record) *gang {
	if r == nil || r.Gang.Key == "" {
		return nil
	}
	if g := b.gangs[gangKey{r.Namespace, r.Gang.Key}]; g != nil && g.wanted(r.User) != 1 {
		return g
	}
	return nil
}

// gangAt is the gang of a name, also a new one.
func (b *Book) gangAt(namespace, key string) *gang {
	name := gangKey{namespace, key}
	if b.gangs[name] == nil {
		b.gangs[name] = &gang{users: map[string]*crew{}, jobs: map[types.UID]jobOfASet{}}
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
	if from != nil && from.Gang.Key != "" {
		b.gangAt(from.Namespace, from.Gang.Key).drop(from)
		b.forgetEmpty(from.Namespace, from.Gang.Key)
	}
	if to != nil && to.Gang.Key != "" {
		b.gangAt(to.Namespace, to.Gang.Key).add(to)
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

// SetJob sets a Job, which may be one of a JobSet.
func (b *Book) SetJob(j *batchv1.Job, there bool) {
	of, jobs := workload.JobSetOf(j)
	if of.Key == "" {
		return
	}
	b.changeGang(j.Namespace, of.Key, func(g *gang) {
		if there {
			g.jobs[j.UID] = jobOfASet{of.Size, jobs}
		} else {
			delete(g.jobs, j.UID)
		}
	})
}

func (b *Book) changeGang(namespace, key string, change func(*gang)) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	g := b.gangAt(namespace, key)
	before, _ := g.declared()
	change(g)
	if after, _ := g.declared(); after != before {
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
func (b *Book) Together(r *workload.Record) []*workload.Record {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	g := b.gangOf(r)
	if g == nil {
		return []*workload.Record{r}
	}
	waiting, _, there := g.parts(r.User)
	if len(waiting) == 0 || waiting[0].UID != r.UID || !g.complete(r.User, there) {
		return nil
	}
	return slices.Clone(waiting)
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
	waiting, running, there := g.parts(r.User)
	part := running
	if r.Pending() {
		part = waiting
	}
	if len(part) == 0 || part[0].UID != r.UID {
		return nil
	}
	whole := workload.Together(part)
	whole.Held = whole.Held || r.Pending() && !g.complete(r.User, there)
	return whole.Job(place)
}
