package controller

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"

	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

const (
	recordsOfBatch = 5000
	chargePause    = time.Second
	chargeAgain    = 10 * time.Second
	segmentsOfTurn = 50_000
	standbyMemory  = 10 * time.Minute // Longer than another controller takes to lead.
)

// Accounting charges admitted Workloads, each second once. It writes each charge to a ledger, before and after;
// after a crash in between it makes the same records again.
type Accounting struct {
	Service   pb.PriorityServiceClient
	Book      *Book
	Annotator Annotator
	Ledgers   Ledgers
	Source    string
	Finalize  bool                                     // Keep Workloads until their usage is charged,
	Hold      time.Duration                            // at most so long after their deletion.
	OfJob     func(job types.UID, now time.Time) int32 // The number of a Job's Pods that are on nodes.
	ByPods    func(*workload.Record) *workload.Record  // The record of a Job with what its Pods request.
	Now       func() time.Time
	Report    func(*workload.Record, *pb.UsageRecordResult)
	Warn      func(r *workload.Record, reason, text string)
	Log       logr.Logger

	wake   signal
	mutex  sync.Mutex
	opened map[types.UID]bool             // Workloads with usage to charge, now or earlier.
	gone   map[types.UID]*workload.Record // Deleted Workloads that are not charged to their end.
	kept   map[types.UID]*charged
	since  time.Time // The time at which ledgers were first kept.
	leads  bool      // It has read the ledgers.
	most   int       // The length of gone at which a standby forgets what was deleted long ago.
}

// NewAccounting makes an Accounting that observes the book.
func NewAccounting(service pb.PriorityServiceClient, book *Book, annotator Annotator, ledgers Ledgers, source string) *Accounting {
	a := &Accounting{Service: service, Book: book, Annotator: annotator, Ledgers: ledgers, Source: source, Hold: time.Hour,
		OfJob: func(types.UID, time.Time) int32 { return 0 }, ByPods: func(r *workload.Record) *workload.Record { return r },
		Now: time.Now, Report: func(*workload.Record, *pb.UsageRecordResult) {}, Warn: func(*workload.Record, string, string) {}, Log: logr.Discard(),
		wake: newSignal(), opened: map[types.UID]bool{}, gone: map[types.UID]*workload.Record{}, kept: map[types.UID]*charged{}}
	book.Observe(a)
	return a
}

// Changed notes a Workload that is or was admitted.
func (a *Accounting) Changed(r *workload.Record, _ string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if r.Admitted.IsZero() && r.OldLedger == "" && !r.Finalized && a.kept[r.UID] == nil {
		return
	}
	a.opened[r.UID] = true
	if c := a.kept[r.UID]; c != nil && c.ledger.Open != nil && r.Kind == workload.KindJob && c.ended.Unix() <= c.ledger.Open.Begin {
		c.ended = r.Ended
	}
	a.wake.raise()
}

// Left notes that the last Pod of a Job has left its node.
func (a *Accounting) Left(job types.UID) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if c := a.kept[job]; c != nil {
		c.left = a.Now().Truncate(time.Second)
		a.wake.raise()
	}
}

// Gone notes a Workload that was deleted before it was charged to its end.
func (a *Accounting) Gone(r *workload.Record, _ string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if !a.opened[r.UID] && a.kept[r.UID] == nil {
		return
	}
	delete(a.opened, r.UID)
	last := *r
	if now := a.Now().Truncate(time.Second); last.Deleted.IsZero() || last.Deleted.After(now) {
		last.Deleted = now
	}
	if a.gone[r.UID] = &last; !a.leads && len(a.gone) > a.most {
		maps.DeleteFunc(a.gone, func(_ types.UID, r *workload.Record) bool { return since(r.Deleted, a.Now()) > standbyMemory })
		a.most = max(2*len(a.gone), fewestKept)
	}
	a.wake.raise()
}

// Start charges until the context ends. It reads all ledgers first.
func (a *Accounting) Start(ctx context.Context) error {
	for err := a.load(ctx); err != nil; err = a.load(ctx) {
		a.Log.Error(err, "ledgers not read, nothing charged; retrying")
		if !sleep(ctx, chargeAgain) {
			return nil
		}
	}
	return inTurns(ctx, a.wake, chargePause, chargeAgain, a.turn)
}

// account is a Workload in one pass.
type account struct {
	record *workload.Record
	step   usage.Step
	gone   bool
	failed bool // Not all of its segments are durable.
}

func (a *Accounting) turn(ctx context.Context) {
	accounts := a.accounts()
	if err := a.charge(ctx, accounts); err != nil {
		if ctx.Err() == nil {
			a.Log.Error(err, "usage not charged; retrying")
		}
		return
	}
	waiting := 0
	for _, account := range accounts {
		if account.failed {
			waiting++
		}
		if err := a.settle(ctx, account); err != nil && ctx.Err() == nil {
			a.Log.Info("ledger not written; retrying", "workload", account.record.Key(), "error", err.Error())
		}
	}
	uncharged.Set(float64(waiting))
}

// accounts are the Workloads to charge in this pass, a bounded number; a further pass charges the rest.
func (a *Accounting) accounts() []*account {
	a.mutex.Lock()
	var open []types.UID
	var gone []*workload.Record
	for uid := range a.opened {
		open = append(open, uid)
	}
	for _, r := range a.gone {
		gone = append(gone, r)
	}
	a.mutex.Unlock()
	var accounts []*account
	segments := 0
	add := func(r *workload.Record, step usage.Step, gone bool) bool {
		accounts = append(accounts, &account{record: r, step: step, gone: gone})
		segments += len(step.Segments)
		return segments < segmentsOfTurn
	}
	for _, r := range gone {
		if r = a.byPods(r); !add(r, a.lastStep(r), true) {
			break
		}
	}
	for _, uid := range open {
		if r, place := a.Book.Get(uid); r != nil && segments < segmentsOfTurn {
			if r = a.byPods(r); !add(r, a.step(r, place), false) {
				break
			}
		}
	}
	if segments >= segmentsOfTurn {
		a.wake.raise()
	}
	return accounts
}

func (a *Accounting) byPods(r *workload.Record) *workload.Record {
	if r.Kind != workload.KindJob || r.Plain == nil {
		return r
	}
	return a.ByPods(r)
}

func (a *Accounting) step(r *workload.Record, place workload.Place) usage.Step {
	c := a.chargedOf(r, place)
	if c.dirty {
		return usage.Step{Ledger: c.ledger, Write: true}
	}
	ledger := c.ledger
	if ledger.Open != nil {
		ledger.Until = max(ledger.Until, c.sent)
	}
	step := usage.Next(a.withPods(r, c), ledger, place, a.Now())
	if ledger.Open == nil && step.Ledger.Open != nil && r.User == "" {
		a.Warn(r, "NoUser", "it has no stamped user, so it is charged to "+place.User)
	}
	return step
}

// withPods is the record of a Job that was deleted or suspended: its attempt lasts until its last Pod has left its node. If
// it has run again since then, it is the record of the attempt before.
func (a *Accounting) withPods(r *workload.Record, c *charged) *workload.Record {
	open := c.ledger.Open
	if r.Kind != workload.KindJob || c.ledger.End != 0 || !r.Finished.IsZero() || open == nil && a.OfJob(r.UID, a.Now()) == 0 {
		return r
	}
	a.mutex.Lock()
	before, left, ended := c.ended, c.left, r.Ended
	a.mutex.Unlock()
	was, begin := *r, r.Admitted
	if open != nil {
		begin = time.Unix(open.Begin, 0)
	}
	if ended.IsZero() {
		ended = r.Deleted
	}
	switch {
	case r.Admitted.After(begin) && before.After(begin):
		was.Admitted, was.Ended = begin, before
		if left.After(before) && left.Before(r.Admitted) {
			was.Ended = left
		}
	case ended.IsZero():
	case a.OfJob(r.UID, a.Now()) > 0:
		was.Ended, was.Deleted = time.Time{}, time.Time{}
		if r.Plain != nil {
			was.Usage = r.Plain.Of(a.OfJob(r.UID, a.Now()))
		}
	case left.After(ended):
		was.Ended = left
	}
	return &was
}

// lastStep is the step of a deleted Workload. Its end time is stored before it is charged to its end.
func (a *Accounting) lastStep(r *workload.Record) usage.Step {
	place := a.Book.PlaceOf(r)
	c := a.chargedOf(r, place)
	if open := c.ledger.Open; open != nil && c.ledger.End == 0 {
		if closed := usage.Closed(a.withPods(r, c), c.ledger, a.Now()); closed.End != 0 {
			return usage.Step{Ledger: closed, Write: true}
		}
		place = workload.Place{Account: open.Account, User: open.User, Partition: open.Partition, QOS: open.QOS}
	}
	step := a.step(r, place)
	step.Ledger = usage.Closed(a.withPods(r, c), step.Ledger, a.Now())
	return step
}

// charge sends all segments, in batches.
func (a *Accounting) charge(ctx context.Context, accounts []*account) error {
	var batch []charge
	for _, account := range accounts {
		for _, segment := range account.step.Segments {
			batch = append(batch, charge{account, segment, segment.Record(a.Source, string(account.record.UID))})
			if len(batch) == recordsOfBatch {
				if err := a.send(ctx, batch); err != nil {
					return err
				}
				batch = nil
			}
		}
	}
	return a.send(ctx, batch)
}

// charge is a segment in flight.
type charge struct {
	account *account
	segment usage.Segment
	record  *pb.UsageRecord
}

// send sends a batch, then corrections of the records that priorityd has with another end.
func (a *Accounting) send(ctx context.Context, batch []charge) error {
	for len(batch) > 0 {
		request := &pb.RecordUsageRequest{}
		for _, c := range batch {
			request.Records = append(request.Records, c.record)
		}
		answer, err := a.Service.RecordUsage(ctx, request)
		if err != nil {
			return err
		}
		var corrections []charge
		for i, result := range answer.GetResults() {
			if a.read(batch[i], result) {
				c := batch[i]
				c.record = c.segment.Correction(a.Source, string(c.account.record.UID))
				corrections = append(corrections, c)
			}
		}
		batch = corrections
	}
	return nil
}

// read takes the outcome of a record; true = it needs a correction.
func (a *Accounting) read(c charge, result *pb.UsageRecordResult) bool {
	recordsSent.WithLabelValues(statusName(result.GetStatus())).Inc()
	if result.GetStatus() != pb.UsageRecordStatus_USAGE_RECORD_STATUS_REJECTED {
		return false
	}
	switch result.GetReason() {
	case pb.RejectionReason_REJECTION_REASON_CONFLICT:
		return c.record.ReplacesRecordId == ""
	case pb.RejectionReason_REJECTION_REASON_ALREADY_REPLACED:
		return false
	case pb.RejectionReason_REJECTION_REASON_UNKNOWN_ACCOUNT, pb.RejectionReason_REJECTION_REASON_UNKNOWN_USER,
		pb.RejectionReason_REJECTION_REASON_UNKNOWN_QOS, pb.RejectionReason_REJECTION_REASON_UNKNOWN_PARTITION:
		c.account.failed = true // Until an administrator creates the account or user.
	default:
		lost.Inc()
		a.Log.Info("usage record permanently refused", "workload", c.account.record.Key(), "message", result.GetMessage())
	}
	a.Report(c.account.record, result)
	return false
}

// settle writes the ledger of the charges.
func (a *Accounting) settle(ctx context.Context, c *account) error {
	if c.failed {
		return a.letGo(ctx, c)
	}
	if c.gone && c.step.Ledger.Open == nil {
		return a.drop(ctx, c.record.UID)
	}
	if c.step.Write {
		return a.write(ctx, c)
	}
	a.mutex.Lock()
	if kept := a.kept[c.record.UID]; kept != nil {
		kept.sent = c.step.Ledger.Until
	}
	a.mutex.Unlock()
	return a.close(ctx, c)
}

func (a *Accounting) write(ctx context.Context, c *account) error {
	if open := c.step.Ledger.Open; a.Finalize && open != nil && !c.gone && !c.record.Finalized && c.record.Deleted.IsZero() {
		// One whose finalizer the API server rejects is charged as without.
		if err := a.Annotator.Finalize(ctx, c.record, true); err != nil && !concernsOne(err) {
			return err
		}
	}
	a.wake.raise()
	return a.keep(ctx, c.record, c.step.Ledger)
}

// close releases a Workload that is charged to its end and will not run again.
func (a *Accounting) close(ctx context.Context, c *account) error {
	over := c.step.Ledger.Open == nil
	if over && c.record.Finalized && (!c.record.Finished.IsZero() || !c.record.Deleted.IsZero()) {
		return a.Annotator.Finalize(ctx, c.record, false)
	}
	if over && !c.record.Finished.IsZero() {
		a.forget(c.record.UID)
	}
	return nil
}

// letGo releases a deleted Workload that cannot be charged, after Hold.
func (a *Accounting) letGo(ctx context.Context, c *account) error {
	if since(c.record.Deleted, a.Now()) < a.Hold || a.Hold == 0 {
		return nil
	}
	lost.Inc()
	if c.gone {
		return a.drop(ctx, c.record.UID)
	}
	if !c.record.Finalized {
		return nil
	}
	return a.Annotator.Finalize(ctx, c.record, false)
}

// forget skips a Workload until it changes.
func (a *Accounting) forget(uid types.UID) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.opened, uid)
	delete(a.gone, uid)
}
