// Package usage says what an admitted Workload is charged, in records that are the same whoever makes
// them and however often: priorityd counts each once.
package usage

import (
	"bytes"
	"encoding/json"
	"fmt"

	"priorityd/kubernetes/internal/workload"
)

// mostLedgerBytes is the bound of a ledger's text.
const mostLedgerBytes = 8 << 10

// Ledger is what of a Workload is charged. The controller keeps it in an object of its own, so that it is there
// when the controller is killed, after Kueue has forgotten an attempt that was evicted, and after the Workload is deleted.
type Ledger struct {
	// Until is up to when all is charged, in seconds since 1970; 0 = nothing is.
	Until int64 `json:"until,omitempty"`
	// Open is the attempt that is being charged; nil = none.
	Open *Attempt `json:"open,omitempty"`
	// End is when the open attempt ended, as its Workload was deleted; 0 = the Workload says it.
	End int64 `json:"end,omitempty"`
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

// ParseLedger reads the text of a ledger; empty = nothing is charged.
func ParseLedger(text string) (Ledger, error) {
	var ledger Ledger
	if text == "" {
		return ledger, nil
	}
	if len(text) > mostLedgerBytes {
		return Ledger{}, fmt.Errorf("ledger: got %d bytes, want at most %d", len(text), mostLedgerBytes)
	}
	reader := json.NewDecoder(bytes.NewReader([]byte(text)))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&ledger); err != nil {
		return Ledger{}, fmt.Errorf("ledger: got %.80q, want what priorityd-kubernetes wrote: %w", text, err)
	}
	if reader.More() {
		return Ledger{}, fmt.Errorf("ledger: got %.80q, want one object", text)
	}
	return ledger, nil
}

// String is the text of the ledger.
func (l Ledger) String() string {
	text, _ := json.Marshal(l)
	return string(text)
}
