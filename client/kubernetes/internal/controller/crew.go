package controller

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/workload"
)

// crew is the Pods of one user in a gang. It is kept in order, so that a change of one of many Pods is cheap.
type crew struct {
	members map[types.UID]*workload.Record
	waiting []*workload.Record // In order of creation.
	running []*workload.Record // Released and unfinished, in the same order.
	there   int64              // The number of Pods that have not failed.
}

// add adds a member, which is not there yet.
func (g *gang) add(r *workload.Record) {
	c := g.users[r.User]
	if c == nil {
		c = &crew{members: map[types.UID]*workload.Record{}}
		g.users[r.User] = c
	}
	c.members[r.UID] = r
	if part := c.partOf(r); part != nil {
		at, _ := slices.BinarySearchFunc(*part, r, inOrder)
		*part = slices.Insert(*part, at, r)
	}
	if isThere(r) {
		c.there++
	}
}

// drop removes a member, as it was added.
func (g *gang) drop(r *workload.Record) {
	c := g.users[r.User]
	if c == nil || c.members[r.UID] != r {
		return
	}
	if delete(c.members, r.UID); len(c.members) == 0 {
		delete(g.users, r.User)
		return
	}
	if part := c.partOf(r); part != nil {
		if at, found := slices.BinarySearchFunc(*part, r, inOrder); found {
			*part = slices.Delete(*part, at, at+1)
		}
	}
	if isThere(r) {
		c.there--
	}
}

// partOf is the list of a member; nil = it neither waits nor runs.
func (c *crew) partOf(r *workload.Record) *[]*workload.Record {
	switch {
	case r.Pending():
		return &c.waiting
	case r.Finished.IsZero() && !r.Reserved.IsZero():
		return &c.running
	default:
		return nil
	}
}

// turn is the time of the last release of a member that runs; zero = none runs.
func (c *crew) turn() time.Time {
	var last time.Time
	for _, r := range c.running {
		if r.Deleted.IsZero() && r.Reserved.After(last) {
			last = r.Reserved
		}
	}
	return last
}

func isThere(r *workload.Record) bool { return !r.Failed && r.Deleted.IsZero() }

func inOrder(a, b *workload.Record) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}
