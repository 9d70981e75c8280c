package usage

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"priorityd/kubernetes/internal/workload"
)

// skew is the largest difference of a cluster's clocks; a larger one makes a time wrong.
const skew = 60

// Check compares a stored ledger with its Workload in the API. It replaces implausible values by those of the API,
// and names them. A checked ledger charges the Workload's own account and user, nothing from before its creation or
// after now, and at any time no more than its Pods request.
func Check(r *workload.Record, ledger Ledger, place workload.Place, now time.Time) (Ledger, []string) {
	c := checker{record: r, now: now.Unix()}
	checked := Ledger{Until: ledger.Until, End: ledger.End}
	if ledger.Open != nil {
		attempt := *ledger.Open
		checked.Open = &attempt
		c.checkTimes(&attempt)
		c.checkPlace(&attempt, place)
		c.checkTRES(&attempt)
	}
	c.checkUntil(&checked)
	c.checkEnd(&checked)
	return checked, c.faults
}

// checker collects the faults.
type checker struct {
	record *workload.Record
	now    int64
	faults []string
}

func (c *checker) refuse(field string, got, want any) {
	c.faults = append(c.faults, fmt.Sprintf("%s: got %.100s, want %.100s", field, fmt.Sprint(got), fmt.Sprint(want)))
}

// begin is the earliest begin of an attempt of the Workload.
func (c *checker) begin() int64 { return max(c.record.Created.Unix(), 0) }

func (c *checker) checkTimes(attempt *Attempt) {
	admitted := max(c.record.Admitted.Unix(), c.begin())
	if attempt.Begin < c.begin() || attempt.Begin > c.now+skew {
		c.refuse("begin", attempt.Begin, fmt.Sprintf("%d to %d", c.begin(), c.now))
		attempt.Begin = min(admitted, c.now)
	}
	if most := attempt.Begin - c.begin(); attempt.Past < 0 || attempt.Past > most+skew {
		c.refuse("past", attempt.Past, fmt.Sprintf("0 to %d", most))
		attempt.Past = min(max(c.record.Past, 0), most)
	}
}

func (c *checker) checkPlace(attempt *Attempt, place workload.Place) {
	for _, field := range []struct {
		name string
		got  *string
		want string
	}{
		{"account", &attempt.Account, place.Account},
		{"user", &attempt.User, place.User},
		{"partition", &attempt.Partition, place.Partition},
		{"qos", &attempt.QOS, place.QOS},
	} {
		// A Workload whose queue was deleted has no partition.
		if *field.got != field.want && (field.want != "" || field.name != "partition") {
			c.refuse(field.name, *field.got, field.want)
			*field.got = field.want
		}
	}
}

func (c *checker) checkTRES(attempt *Attempt) {
	bound := atMost(c.record)
	fits := len(attempt.TRES) > 0
	for name, amount := range attempt.TRES {
		// Sums of quantities are rounded.
		fits = fits && amount > 0 && !math.IsInf(amount, 0) && amount <= bound[name]*(1+1e-9)
	}
	if fits {
		return
	}
	c.refuse("tres", describe(attempt.TRES), describe(bound))
	if attempt.TRES = c.record.Usage; len(attempt.TRES) == 0 {
		attempt.TRES = bound
	}
}

// atMost is the most TRES that a Workload holds at a time, by its Pods' requests and, with Kueue, by its admission.
func atMost(r *workload.Record) workload.TRES {
	bound := workload.TRES{}
	for _, tres := range []workload.TRES{r.TRES, r.Usage} {
		for name, amount := range tres {
			bound[name] = max(bound[name], amount)
		}
	}
	return bound
}

func describe(tres workload.TRES) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(tres)) {
		text += fmt.Sprintf("%s=%g ", name, tres[name])
	}
	return text
}

// checkUntil resets an implausible Until: the attempt is charged from its begin again, and priorityd counts each record
// once.
func (c *checker) checkUntil(ledger *Ledger) {
	if ledger.Until == 0 || ledger.Until >= c.begin() && ledger.Until <= c.now+skew {
		return
	}
	c.refuse("until", ledger.Until, fmt.Sprintf("%d to %d", c.begin(), c.now))
	ledger.Until = 0
}

// checkEnd: only the ledger of a deleted object has an end.
func (c *checker) checkEnd(ledger *Ledger) {
	deleted := c.record.Deleted
	if ledger.End == 0 || !deleted.IsZero() && ledger.Open != nil && ledger.End >= ledger.Open.Begin && ledger.End <= c.now {
		return
	}
	c.refuse("end", ledger.End, "the end of an attempt whose Workload was deleted")
	ledger.End = 0
}
