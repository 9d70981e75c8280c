package controller

import (
	"slices"
	"strings"
	"testing"
	"time"

	"priorityd/kubernetes/internal/usage"
	"priorityd/kubernetes/internal/workload"
)

// charging is an Accounting with its own clock.
type charging struct {
	*Accounting
	t       *testing.T
	api     *api
	service *service
	now     int64
	warned  []string
}

func newCharging(t *testing.T) *charging {
	book := newBook(t)
	c := &charging{t: t, api: newAPI(book), service: newService(), now: 1000}
	c.restart()
	return c
}

// restart starts another controller, which knows only the state of the API.
func (c *charging) restart() {
	c.t.Helper()
	c.api.book = newBook(c.t)
	c.Accounting = NewAccounting(c.service, c.api.book, c.api, c.api, "k")
	c.Accounting.Now = func() time.Time { return time.Unix(c.now, 0) }
	c.Accounting.Warn = func(_ *workload.Record, reason, text string) { c.warned = append(c.warned, reason+": "+text) }
	for _, r := range c.api.records {
		c.api.book.Put(&r)
	}
	fail := c.api.fail
	c.api.fail = false
	if err := c.load(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	c.api.fail = fail
}

func (c *charging) turns(t *testing.T, count int) {
	for range count {
		c.turn(t.Context())
	}
}

func (c *charging) admit() {
	c.api.put(func(r *workload.Record) {
		r.Reserved, r.Admitted, r.Ended = time.Unix(c.now, 0), time.Unix(c.now, 0), time.Time{}
		r.Usage, r.TRES = workload.TRES{"cpu": 1}, workload.TRES{"cpu": 1}
	})
}

func (c *charging) finish() {
	c.api.put(func(r *workload.Record) { r.Ended, r.Finished = time.Unix(c.now, 0), time.Unix(c.now, 0) })
}

func (c *charging) want(t *testing.T, seconds int64) {
	t.Helper()
	if got := c.service.seconds(); got != seconds {
		t.Errorf("got %d seconds charged, want %d", got, seconds)
	}
}

func TestNothingIsChargedBeforeItIsWrittenDown(t *testing.T) {
	c := newCharging(t)
	c.api.fail = true
	c.admit()
	c.now += 1000
	c.finish()
	c.turns(t, 3)
	c.want(t, 0)
	c.api.fail = false
	c.turns(t, 3)
	c.want(t, 1000)
}

func TestARunningAttemptIsChargedAsItGoes(t *testing.T) {
	c := newCharging(t)
	c.admit()
	for range 100 {
		c.turns(t, 2)
		c.now += 70
	}
	c.want(t, 6900) // 7000 seconds are 23 slices of 300 and 100 more.
	if c.api.writes > 3 {
		t.Errorf("got %d writes in two hours, want one an hour and one to begin", c.api.writes)
	}
	c.finish()
	c.turns(t, 2)
	c.want(t, 7000)
}

func TestAwayAndKilledAtAnyCallEachSecondCountsOnce(t *testing.T) {
	c := newCharging(t)
	c.admit()
	for turn := range 40 {
		c.service.away = turn % 4
		c.api.fail = turn%3 == 1
		if turn%5 == 4 {
			c.restart()
		}
		c.turns(t, 2)
		c.now += 97
	}
	c.service.away, c.api.fail = 0, false
	c.finish()
	c.turns(t, 6)
	c.want(t, 40*97)
}

func TestAnEndThatIsReportedLateIsCorrected(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	c.now += 320
	c.turns(t, 1)
	c.want(t, 300)
	c.restart() // The sent charges are lost, as less than an hour is not stored.
	c.api.put(func(r *workload.Record) { r.Ended, r.Finished = time.Unix(1290, 0), time.Unix(1290, 0) })
	c.turns(t, 3)
	c.want(t, 290)
}

func TestUsageOfAnUnknownAccountWaits(t *testing.T) {
	c := newCharging(t)
	c.service.unknown["chem"] = true
	c.admit()
	c.now += 100
	c.finish()
	c.turns(t, 3)
	c.want(t, 0)
	delete(c.service.unknown, "chem")
	c.turns(t, 2)
	c.want(t, 100)
}

func TestADeletedWorkloadIsChargedFromMemory(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.now += 100
	r := c.api.records["w"]
	c.api.book.Delete(&r)
	delete(c.api.records, "w")
	c.service.away = 2
	c.turns(t, 4)
	c.want(t, 100)
	if len(c.gone) != 0 || len(c.api.ledgers) != 0 {
		t.Error("it is not forgotten")
	}
}

func TestTheFinalizerGoesWhenAllIsCharged(t *testing.T) {
	c := newCharging(t)
	c.Finalize = true
	c.admit()
	c.turns(t, 1)
	if !c.api.records["w"].Finalized {
		t.Fatal("there is no finalizer")
	}
	c.now += 50
	c.api.put(func(r *workload.Record) { r.Deleted = time.Unix(c.now, 0) })
	c.service.away = 1
	c.turns(t, 1)
	if !c.api.records["w"].Finalized {
		t.Fatal("the finalizer went before the usage was charged")
	}
	c.turns(t, 4)
	c.want(t, 50)
	if c.api.records["w"].Finalized {
		t.Error("the finalizer is still there")
	}
}

func TestTheFinalizerGoesAfterAWhileInAnyCase(t *testing.T) {
	c := newCharging(t)
	c.Finalize = true
	c.service.unknown["chem"] = true
	c.admit()
	c.turns(t, 1)
	c.now += 50
	c.api.put(func(r *workload.Record) { r.Deleted = time.Unix(c.now, 0) })
	c.turns(t, 2)
	if !c.api.records["w"].Finalized {
		t.Fatal("the finalizer went at once")
	}
	c.now += 3601
	c.turns(t, 1)
	if c.api.records["w"].Finalized {
		t.Error("the finalizer is still there")
	}
}

// remove deletes the Workload.
func (c *charging) remove() {
	r := c.api.records["w"]
	c.api.book.Delete(&r)
	delete(c.api.records, "w")
}

func TestWithoutAHoldTheFinalizerStaysUntilAllIsCharged(t *testing.T) {
	c := newCharging(t)
	c.Finalize, c.Hold = true, 0
	c.service.unknown["chem"] = true
	c.admit()
	c.turns(t, 1)
	c.now += 50
	c.api.put(func(r *workload.Record) { r.Deleted = time.Unix(c.now, 0) })
	c.now += 365 * 24 * 3600
	c.turns(t, 2)
	if !c.api.records["w"].Finalized {
		t.Error("the finalizer went before the charge")
	}
	delete(c.service.unknown, "chem")
	c.turns(t, 2)
	c.want(t, 50)
	if c.api.records["w"].Finalized {
		t.Error("the finalizer is still there")
	}
}

func TestWhatIsDeletedIsChargedToItsEndThoughTheControllerIsKilledAtAnyCall(t *testing.T) {
	for kill := range 6 {
		c := newCharging(t)
		c.admit()
		c.turns(t, 1)
		c.now += 777
		c.remove()
		c.service.down = kill%2 == 0 // Until the crash; else some calls fail.
		for turn := range 6 {
			c.service.away = turn % 3
			c.api.fail = turn == 2
			c.turns(t, 1)
			if turn == kill {
				c.now += 5000
				c.restart()
				c.service.down = false
			}
		}
		c.service.away, c.api.fail = 0, false
		c.turns(t, 4)
		c.want(t, 777)
		if len(c.api.ledgers) != 0 {
			t.Errorf("killed after turn %d: got ledgers %v, want none", kill, c.api.ledgers)
		}
	}
}

func TestWhatIsDeletedWhileNoControllerRunsIsChargedAsFarAsIsKnown(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	for range 20 {
		c.now += 300
		c.turns(t, 2)
	}
	before := c.service.seconds()
	delete(c.api.records, "w")
	c.now += 10_000
	c.restart()
	c.turns(t, 3)
	c.want(t, before)
	if len(c.api.ledgers) != 0 {
		t.Errorf("got ledgers %v, want none", c.api.ledgers)
	}
}

// Each is a text that an owner could write into an object before the controller had its own ledgers.
var hostileLedgers = map[string]string{
	"a charge that is over in the year 2100":    `{"until":4102444800}`,
	"another's account":                         `{"open":{"begin":1000,"tres":{"cpu":1},"account":"victim-lab","user":"victim"}}`,
	"a year and 10,000 GPUs of another":         `{"open":{"begin":-30000000,"past":-99999999,"tres":{"gres/gpu":10000},"account":"victim-lab","user":"victim"}}`,
	"an attempt since 1970":                     `{"open":{"begin":0,"tres":{"cpu":1},"account":"chem","user":"nobody"}}`,
	"nothing held":                              `{"open":{"begin":1000,"tres":{},"account":"chem","user":"nobody"}}`,
	"something else":                            `[7]`,
	"more than the controller ever wrote of it": `{"open":{"begin":1000,"tres":{"cpu":1},"account":"chem","user":"nobody"},"paid":true}`,
}

func TestAnOwnersAnnotationChangesNoCharge(t *testing.T) {
	for name, text := range hostileLedgers {
		for _, since := range []int64{0, 5000} { // The object was created after, or before, the controller had its own ledgers.
			c := newCharging(t)
			c.api.since = time.Unix(since, 0)
			c.restart()
			c.api.put(func(r *workload.Record) { r.OldLedger, r.Created = text, time.Unix(900, 0) })
			c.admit()
			c.turns(t, 3)
			c.now += 640
			c.finish()
			c.turns(t, 3)
			c.want(t, 640)
			for _, record := range c.service.records {
				if record.Account != "chem" || record.User != "nobody" || record.Tres["cpu"] != 1 || len(record.Tres) != 1 {
					t.Errorf("%s: got a record of %v, %v, %v, want the Workload's own", name, record.Account, record.User, record.Tres)
				}
			}
			if len(c.warned) == 0 {
				t.Errorf("%s: nobody is warned", name)
			}
		}
	}
}

func TestAnUpgradeContinuesWhereTheOldVersionStopped(t *testing.T) {
	c := newCharging(t)
	c.api.since = time.Unix(2000, 0)
	c.restart()
	c.admit()
	c.now = 2500
	c.api.put(func(r *workload.Record) {
		r.OldLedger = `{"until":1600,"open":{"begin":1000,"tres":{"cpu":1},"account":"chem","user":"nobody","partition":"cq"}}`
	})
	c.turns(t, 3)
	c.want(t, 600) // From 1600 to 2200; another controller has charged up to 1600.
	if got := slices.DeleteFunc(c.warned, func(text string) bool { return strings.HasPrefix(text, "NoUser") }); len(got) > 0 {
		t.Errorf("got %v, want nothing to warn of", got)
	}
}

func TestALedgerThatCannotBeReadChargesFromTheBeginOnce(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	c.now += 700
	c.turns(t, 2)
	kept := c.api.ledgers["w"]
	kept.Ledger, kept.Fault = usage.Ledger{}, "ledger: got nothing"
	c.api.ledgers["w"] = kept
	c.restart()
	c.now += 100
	c.finish()
	c.turns(t, 4)
	c.want(t, 800)
}

func TestALongRunIsChargedInBoundedParts(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.now += 400 * 86400
	for range 120 {
		c.turns(t, 1)
		if most := len(c.service.records); most > 120*1024 {
			t.Fatalf("got %d records", most)
		}
	}
	c.finish()
	c.turns(t, 3)
	c.want(t, 400*86400)
}

func TestARunFollowsItsNamespaceToAnotherAccountFromThenOn(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	c.now += 1000
	accounts, err := workload.ParseAccounts("chem physics")
	if err != nil {
		t.Fatal(err)
	}
	c.api.book.SetAccounts(accounts, workload.Users{})
	c.turns(t, 3)
	c.now += 500
	c.finish()
	c.turns(t, 3)
	c.want(t, 1500)
	seconds := map[string]int64{}
	for _, record := range c.service.records {
		seconds[record.Account] += record.EndTime.Seconds - record.StartTime.Seconds
	}
	if seconds["chem"] != 1000 || seconds["physics"] != 500 {
		t.Errorf("got %v, want 1000 of chem and 500 of physics", seconds)
	}
}
