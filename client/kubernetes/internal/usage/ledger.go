// Package usage computes the charges of an admitted Workload, in deterministic records: every controller makes the
// same ones, and priorityd counts each once.
package usage

import (
	"bytes"
	"encoding/json"
	"fmt"

	"priorityd/kubernetes/internal/workload"
)

// mostLedgerBytes is the bound of a ledger's text.
const mostLedgerBytes = 8 << 10

// Ledger is the state of a Workload's charges. The controller stores it in a separate object, so that it survives a
// crash of the controller, the eviction of an attempt, which Kueue forgets, and the deletion of the Workload.
type Ledger struct {
	// Until is the end of the charges, in seconds since 1970; 0 = none.
	Until int64 `json:"until,omitempty"`
	// Open is the attempt in charge; nil = none.
	Open *Attempt `json:"open,omitempty"`
	// End is the end of the open attempt of a deleted Workload; 0 = the Workload has it.
	End int64 `json:"end,omitempty"`
}

// Attempt is one admission of a Workload, with the contents of its records. They must not change between retries, so
// the attempt is stored before the first record is sent.
type Attempt struct {
	Begin     int64         `json:"begin"`
	Past      int64         `json:"past,omitempty"` // Seconds of earlier attempts, by Kueue's count.
	TRES      workload.TRES `json:"tres"`
	Account   string        `json:"account"`
	User      string        `json:"user"`
	Partition string        `json:"partition,omitempty"`
	QOS       string        `json:"qos,omitempty"`
}

// ParseLedger reads the text of a ledger; empty = no charges.
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
		return Ledger{}, fmt.Errorf("ledger: got %.80q, want a ledger of priorityd-kubernetes: %w", text, err)
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
