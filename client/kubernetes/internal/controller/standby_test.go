package controller

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/workload"
)

// A standby's informers see what the leader charges. When it leads, it charges only what the leader has not: here the object
// that was deleted between the two.
func TestAStandbyChargesNothingAgainWhenItLeads(t *testing.T) {
	c := newCharging(t)
	standby := newBook(t)
	next := NewAccounting(c.service, standby, c.api, c.api, "k")
	next.Now = func() time.Time { return time.Unix(c.now, 0) }
	see := func() {
		if r, ok := c.api.records["w"]; ok {
			standby.Put(&r)
		}
	}
	admit := func() { c.admit(); see(); c.turns(t, 2) }
	remove := func() {
		r := c.api.records["w"]
		delete(c.api.records, "w")
		c.api.book.Delete(&r)
		standby.Delete(&r)
	}
	admit()
	c.now += 100
	c.api.put(func(r *workload.Record) { r.Usage = workload.TRES{"cpu": 0.5} }) // A part of its Pods has ended.
	see()
	c.turns(t, 2)
	c.now += 100
	remove()
	c.turns(t, 3)
	c.want(t, 200)
	c.api.put(func(r *workload.Record) { r.UID, r.Created = "x", time.Unix(c.now, 0) })
	r := c.api.records["x"]
	r.Reserved, r.Admitted, r.Usage, r.TRES = time.Unix(c.now, 0), time.Unix(c.now, 0), workload.TRES{"cpu": 1}, workload.TRES{"cpu": 1}
	c.api.store(r)
	r = c.api.records["x"]
	standby.Put(&r)
	c.turns(t, 2)
	c.now += 77
	delete(c.api.records, "x")
	standby.Delete(&r) // No controller leads.
	c.now += 20
	if err := next.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		next.turn(t.Context())
	}
	c.want(t, 277)
	for id, record := range c.service.records {
		if record.ReplacesRecordId != "" {
			t.Errorf("got %s, which replaces %s, want no record of the leader replaced", id, record.ReplacesRecordId)
		}
	}
}

// What a standby knows of deleted work does not grow without bound.
func TestAStandbyForgetsWhatWasDeletedLongAgo(t *testing.T) {
	c := newCharging(t)
	standby := newBook(t)
	next := NewAccounting(c.service, standby, c.api, c.api, "k")
	next.Now = func() time.Time { return time.Unix(c.now, 0) }
	for i := range 10 * fewestKept {
		r := &workload.Record{UID: types.UID(fmt.Sprint(i)), Admitted: time.Unix(c.now, 0)}
		standby.Put(r)
		standby.Delete(r)
		c.now += 10
		if len(next.gone) > 2*fewestKept {
			t.Fatalf("got %d kept, want at most %d", len(next.gone), 2*fewestKept)
		}
	}
}

func TestAStandbyNotesNoChanges(t *testing.T) {
	book := newBook(t)
	queue := NewQueue(newService(), book, "k")
	put(book, "a", nil)
	if len(queue.changed) != 0 {
		t.Errorf("got %d changes kept, want none before the first full sync", len(queue.changed))
	}
}
