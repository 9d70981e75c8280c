// Package faults is a server that stands in front of a real priorityd and misbehaves as a case of
// conformance says.
package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case says what a client is asked to do, what goes wrong meanwhile, and what must come of it.
type Case struct {
	Name string `json:"-"`
	// What is the claim, in one sentence.
	What   string `json:"what"`
	Client Client `json:"client"`
	Do     Do     `json:"do"`
	// Faults of the first, second, ... call of each RPC; calls after the last one meet none.
	Faults map[string][]Fault `json:"faults"`
	// Queue is what becomes of the tracked queue: at once, and after each answer of WatchRanking.
	Queue  []Change `json:"queue"`
	Expect Expect   `json:"expect"`
	// Without names libraries that have no such thing.
	Without []string `json:"without"`
}

// Client is how the client is made.
type Client struct {
	MaxAttempts      int    `json:"max_attempts"`
	InitialBackoffMs int    `json:"initial_backoff_ms"`
	MaxBackoffMs     int    `json:"max_backoff_ms"`
	DeadlineMs       int    `json:"deadline_ms"`
	Proof            string `json:"proof"` // "", token, munge or certificate
	// Secured: the client calls a real service that asks who is calling, without faults.
	Secured bool `json:"secured"`
	// DeadServer puts an address where nobody listens before the right one.
	DeadServer bool `json:"dead_server"`
}

// Do is what the client does.
type Do struct {
	Call      string `json:"call"`
	Cluster   string `json:"cluster"`
	Records   int    `json:"records"`
	BatchSize int    `json:"batch_size"`
	PageSize  int    `json:"page_size"`
	Limit     int    `json:"limit"`
	// FlushAgain flushes once more where the first time failed.
	FlushAgain bool `json:"flush_again"`
	// MaxKept is how many records a batcher keeps at most.
	MaxKept int `json:"max_kept"`
	// Until ends a watch: the jobs of the top, in order.
	Until []string `json:"until"`
	// Ineligible asks a watch for the jobs that cannot start too; UntilIneligible are those it ends with.
	Ineligible      bool     `json:"ineligible"`
	UntilIneligible []string `json:"until_ineligible"`
}

// Change of the tracked queue, by the ends of job ids.
type Change struct {
	Add    []string `json:"add"`
	Hold   []string `json:"hold"` // Adds them, held.
	Remove []string `json:"remove"`
}

// Fault is what goes wrong with one call.
type Fault struct {
	// Code ends the call: at once, or where DropAfter says.
	Code    string `json:"code"`
	Reason  string `json:"reason"`
	RetryMs *int   `json:"retry_ms"`
	// DropAfter is how many answers the client gets; the next is lost, and the call ends.
	DropAfter *int `json:"drop_after"`
	// DelayMs is before the call is passed on.
	DelayMs int `json:"delay_ms"`
	// Repeat gives every answer twice.
	Repeat bool `json:"repeat"`
	// Silent gives no answer.
	Silent bool `json:"silent"`
	// MisfitAfter is how many answers come before a change of the ranking that fits none.
	MisfitAfter int `json:"misfit_after"`
	// MisfitIneligible: that change is of the jobs that cannot start.
	MisfitIneligible bool `json:"misfit_ineligible"`
	// RenewCertificate has another certificate and key in the client's files before the call ends, and
	// breaks its connections after it.
	RenewCertificate bool `json:"renew_certificate"`
	// RenewToken has a new token in the client's file before the call ends.
	RenewToken bool `json:"renew_token"`
}

// Expect is what must come of it; what a case leaves out may be anything, but for the code.
type Expect struct {
	Code       string         `json:"code"` // "" = OK
	Reason     string         `json:"reason"`
	Violations []string       `json:"violations"`
	Calls      map[string]int `json:"calls"`
	// Answered counts the records that were accepted or known already.
	Answered int `json:"answered"`
	// Ledger counts the records that the real service has, each once.
	Ledger int      `json:"ledger"`
	Top    []string `json:"top"`
	// Ineligible are the jobs that a watch tells as unable to start, in order.
	Ineligible []string `json:"ineligible"`
	Rows       int      `json:"rows"`
	// MinGapMs is between the first two calls.
	MinGapMs int `json:"min_gap_ms"`
	MaxMs    int `json:"max_ms"`
	// Full is whether a batcher said that it holds as many records as it may.
	Full bool `json:"full"`
	// Notices of a rate limit.
	Notices int `json:"notices"`
	// Authorizations of the calls, in order: `token 1`, `munge`, `certificate`, `certificate 2`.
	Authorizations []string `json:"authorizations"`
}

// ReadCases reads every file of a folder.
func ReadCases(folder string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, file := range files {
		c, err := readCase(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func readCase(file string) (Case, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Case{}, err
	}
	c := Case{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return Case{}, err
	}
	if c.What == "" || c.Do.Call == "" {
		return Case{}, fmt.Errorf("want `what` and `do.call`")
	}
	return c, nil
}
