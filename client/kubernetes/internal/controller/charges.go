package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

// charged is the ledger of a Workload in memory. While a controller leads nobody else writes it.
type charged struct {
	ledger  usage.Ledger
	sent    int64 // Up to when a running attempt is charged; beyond what is written down.
	stored  bool  // It is kept.
	checked bool  // It was held against its Workload.
	dirty   bool  // It is to be kept before anything is charged by it.
}

// load reads what an earlier controller kept, and finds what that is of.
func (a *Accounting) load(ctx context.Context) error {
	all, since, err := a.Ledgers.Load(ctx)
	if err != nil {
		return err
	}
	a.mutex.Lock()
	a.since = since
	for _, kept := range all {
		a.kept[kept.UID] = a.adopted(kept)
	}
	a.mutex.Unlock()
	for _, kept := range all {
		if err := a.find(ctx, kept); err != nil {
			return err
		}
	}
	return nil
}

// adopted is a ledger as it was read back.
func (a *Accounting) adopted(kept Kept) *charged {
	c := &charged{ledger: kept.Ledger, stored: true}
	if kept.Fault != "" {
		c.dirty = true
		a.correct(kept.Record(), []string{kept.Fault})
	}
	return c
}

// find has the book follow what is being charged, though its labels say that it is not ours any more. What was deleted
// while no controller ran is charged up to its end, as far as that was written down.
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

// orphan is the record of a Workload that only its ledger knows.
func (a *Accounting) orphan(kept Kept) *workload.Record {
	c := a.kept[kept.UID]
	c.checked = true
	r := kept.Record()
	if open := c.ledger.Open; open != nil && open.Begin <= 0 {
		a.correct(r, []string{fmt.Sprintf("begin: got %d, want a time", open.Begin)})
		c.ledger = usage.Ledger{}
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

// claimed is what an object says itself of its charges, as earlier versions had it. Nothing that was made since this
// controller keeps ledgers of its own is believed.
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

// correct reports that what was read back of a charge cannot be.
func (a *Accounting) correct(r *workload.Record, faults []string) {
	corrected.Inc()
	text := strings.Join(faults, "; ")
	a.Log.Info("what was read back of a charge cannot be; it goes on from what the API says", "workload", r.Key().String(), "faults", text)
	a.Warn(r, "ChargeCorrected", "what was read back of its charge cannot be, and is replaced: "+text)
}

// keep writes a ledger down.
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
	a.kept[r.UID] = &charged{ledger: ledger, sent: ledger.Until, stored: true, checked: true}
	return nil
}

// drop forgets a Workload that is no more.
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
