// Package usage says what an admitted Workload is charged, in records that are the same whoever makes
// them and however often: priorityd counts each once.
package usage

import (
	"encoding/json"
	"fmt"

	"priorityd/kubernetes/internal/workload"
)

// Ledger is what of a Workload is charged. It is kept in an annotation of the Workload, so that it is there
// when the controller is killed, and after Kueue has forgotten an attempt that was evicted.
type Ledger struct {
	// Until is up to when all is charged, in seconds since 1970; 0 = nothing is.
	Until int64 `json:"until,omitempty"`
	// Open is the attempt that is being charged; nil = none.
	Open *Attempt `json:"open,omitempty"`
}

// Attempt is one time that a Workload was admitted, with all that its records say. What they say may not change
// from one try to the next, so it is written down before the first is sent.
type Attempt struct {
	Begin     int64         `json:"begin"`
	Past      int64         `json:"past,omitempty"` // Seconds of attempts before, as Kueue counts them.
	TRES      workload.TRES `json:"tres"`
	Account   string        `json:"account"`
	User      string        `json:"user"`
	Partition string        `json:"partition,omitempty"`
	QOS       string        `json:"qos,omitempty"`
}

// ParseLedger reads the annotation; empty = nothing is charged.
func ParseLedger(text string) (Ledger, error) {
	var ledger Ledger
	if text == "" {
		return ledger, nil
	}
	if err := json.Unmarshal([]byte(text), &ledger); err != nil {
		return Ledger{}, fmt.Errorf("%s: got %.80q, want what priorityd-kubernetes wrote: %w", workload.LedgerAnnotation, text, err)
	}
	return ledger, nil
}

// String is the annotation.
func (l Ledger) String() string {
	text, _ := json.Marshal(l)
	return string(text)
}
