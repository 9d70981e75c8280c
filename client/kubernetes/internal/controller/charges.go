package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

// charged is the ledger of a Workload in memory. Only the leader writes it.
type charged struct {
	ledger  usage.Ledger
	sent    int64 // The end of the charges of a running attempt; later than the stored one.
	stored  bool  // It is stored.
	checked bool  // It was checked against its Workload.
	dirty   bool  // It must be stored before the next charge.

	ended time.Time // Of a Job: the end of its last attempt; zero = not known.
	left  time.Time // Of a Job: the time at which its last Pod left its node; zero = not known.
}

// load reads the ledgers of an earlier controller, and finds their objects.
func (a *Accounting) load(ctx context.Context) error {
	all, since, err := a.Ledgers.Load(ctx)
	if err != nil {
		return err
	}
	a.mutex.Lock()
	a.since, a.leads = since, true
	for _, kept := range all {
		a.kept[kept.UID] = a.adopted(kept)
	}
	// The leader before has charged what was deleted and has no ledger.
	maps.DeleteFunc(a.gone, func(uid types.UID, _ *workload.Record) bool { return a.kept[uid] == nil })
	a.mutex.Unlock()
	for _, kept := range all {
		if err := a.find(ctx, kept); err != nil {
			return err
		}
	}
	return nil
}

// adopted is a ledger read from the store.
func (a *Accounting) adopted(kept Kept) *charged {
	c := &charged{ledger: kept.Ledger, stored: true}
	if kept.Fault != "" {
		c.dirty = true
		a.correct(kept.Record(), []string{kept.Fault})
	}
	return c
}

// find adds the object of a ledger to the book, also if its labels no longer select it. An object that was deleted
// while no controller ran is charged up to its end, as far as that was stored.
func (a *Accounting) find(ctx context.Context, kept Kept) error {
	if r, _ := a.Book.Get(kept.UID); r != nil {
		a.Changed(r, "")
		return nil
	}
	r, err := a.Annotator.Find(ctx, kept)
	if err != nil {
		return err
	}
	if r != nil && kept.Ledger.Open != nil {
		a.Book.Put(r)
		return nil
	}
	if r != nil {
		return nil
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.gone[kept.UID] == nil {
		a.gone[kept.UID] = a.orphan(kept)
	}
	return nil
}

// orphan is the record of a deleted Workload, made from its ledger.
func (a *Accounting) orphan(kept Kept) *workload.Record {
	c := a.kept[kept.UID]
	c.checked = true
	r := kept.Record()
	if open := c.ledger.Open; open != nil && open.Begin <= 0 {
		a.correct(r, []string{fmt.Sprintf("begin: got %d, want a time", open.Begin)})
		c.ledger = usage.Ledger{}
	} else if open != nil && c.ledger.End == 0 && a.OfJob(kept.UID, a.Now()) > 0 {
		r.Deleted = a.Now() // Its Pods have not ended.
	} else if open != nil {
		end := c.ledger.End
		if end == 0 {
			end = max(c.ledger.Until, open.Begin)
		}
		c.ledger.End = min(end, a.Now().Unix())
		r.Deleted = time.Unix(c.ledger.End, 0)
	}
	return r
}

// chargedOf is the ledger of a record, checked.
func (a *Accounting) chargedOf(r *workload.Record, place workload.Place) *charged {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	c := a.kept[r.UID]
	if c == nil {
		c = a.claimed(r)
		a.kept[r.UID] = c
	}
	if c.checked {
		return c
	}
	ledger, faults := usage.Check(r, c.ledger, place, a.Now())
	c.ledger, c.checked = ledger, true
	if len(faults) > 0 {
		c.dirty = true
		a.correct(r, faults)
	}
	return c
}

// claimed is the ledger in an object's annotation, as earlier versions stored it. It is ignored in objects created
// since this controller has its own ledgers.
func (a *Accounting) claimed(r *workload.Record) *charged {
	c := &charged{}
	if r.OldLedger == "" {
		return c
	}
	if !r.Created.Before(a.since) {
		a.correct(r, []string{"the annotation " + workload.LedgerAnnotation + " is not read: the controller did not write it"})
		return c
	}
	ledger, err := usage.ParseLedger(r.OldLedger)
	if err != nil {
		a.correct(r, []string{err.Error()})
	}
	c.ledger, c.dirty = ledger, ledger != usage.Ledger{}
	return c
}

// correct reports that a stored ledger was implausible.
func (a *Accounting) correct(r *workload.Record, faults []string) {
	corrected.Inc()
	text := strings.Join(faults, "; ")
	a.Log.Info("implausible ledger replaced by the state of the API", "workload", r.Key().String(), "faults", text)
	a.Warn(r, "ChargeCorrected", "its ledger was implausible and is replaced by the state of the API: "+text)
}

// keep stores a ledger.
func (a *Accounting) keep(ctx context.Context, r *workload.Record, ledger usage.Ledger) error {
	err := a.Ledgers.Keep(ctx, KeptOf(r, ledger))
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if outdated := (*OutdatedError)(nil); errors.As(err, &outdated) {
		a.kept[r.UID] = a.adopted(outdated.Stored)
	}
	if err != nil {
		return err
	}
	next := &charged{ledger: ledger, sent: ledger.Until, stored: true, checked: true}
	if before := a.kept[r.UID]; before != nil {
		next.ended, next.left = before.ended, before.left
	}
	a.kept[r.UID] = next
	return nil
}

// drop forgets a deleted Workload.
func (a *Accounting) drop(ctx context.Context, uid types.UID) error {
	a.mutex.Lock()
	c := a.kept[uid]
	a.mutex.Unlock()
	if c != nil && c.stored {
		if err := a.Ledgers.Drop(ctx, uid); err != nil {
			return err
		}
	}
	a.forget(uid)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.kept, uid)
	return nil
}
