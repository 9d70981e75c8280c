package controller

import (
	"testing"
	"time"

	"priorityd/kubernetes/internal/workload"
)

// charging is an Accounting at a time of its own.
type charging struct {
	*Accounting
	api     *api
	service *service
	now     int64
}

func newCharging(t *testing.T) *charging {
	book := newBook(t)
	c := &charging{api: newAPI(book), service: newService(), now: 1000}
	c.restart()
	return c
}

// restart has another controller begin, which knows nothing but what the API has.
func (c *charging) restart() {
	c.Accounting = NewAccounting(c.service, c.api.book, c.api, "k")
	c.Accounting.Now = func() time.Time { return time.Unix(c.now, 0) }
	for _, r := range c.api.book.Records("") {
		c.Accounting.Changed(r, "cq")
	}
}

func (c *charging) turns(t *testing.T, count int) {
	for range count {
		c.turn(t.Context())
	}
}

func (c *charging) admit() {
	c.api.put(func(r *workload.Record) {
		r.Reserved, r.Admitted, r.Ended = time.Unix(c.now, 0), time.Unix(c.now, 0), time.Time{}
		r.Usage = workload.TRES{"cpu": 1}
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
	c.want(t, 6900) // 7000 seconds are 23 slices of 300 and a bit.
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

func TestAnEndThatIsToldLateIsCorrected(t *testing.T) {
	c := newCharging(t)
	c.admit()
	c.turns(t, 1)
	c.now += 320
	c.turns(t, 1)
	c.want(t, 300)
	c.restart() // What was sent is forgotten, as it is less than an hour.
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
	if len(c.gone) != 0 {
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
