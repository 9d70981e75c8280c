// Package faults is a proxy before a real priorityd that injects the faults of a conformance case.
package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is a client's task, the faults during it, and the expected outcome.
type Case struct {
	Name string `json:"-"`
	// What is the claim, in one sentence.
	What   string `json:"what"`
	Client Client `json:"client"`
	Do     Do     `json:"do"`
	// Faults of the first, second, ... call of each RPC; later calls have none.
	Faults map[string][]Fault `json:"faults"`
	// Queue are the changes of the tracked queue: at once, and after each answer of WatchRanking.
	Queue  []Change `json:"queue"`
	Expect Expect   `json:"expect"`
	// Without names the libraries that lack the feature.
	Without []string `json:"without"`
}

// Client are the options of the client.
type Client struct {
	MaxAttempts      int    `json:"max_attempts"`
	InitialBackoffMs int    `json:"initial_backoff_ms"`
	MaxBackoffMs     int    `json:"max_backoff_ms"`
	DeadlineMs       int    `json:"deadline_ms"`
	KeepaliveMs      int    `json:"keepalive_ms"`
	Proof            string `json:"proof"` // "", token, munge or certificate
	// Secured: the client calls a real service with authentication, without faults.
	Secured bool `json:"secured"`
	// DeadServer puts an address without a listener before the right one.
	DeadServer bool `json:"dead_server"`
	// LateServerMs is the time until the server listens.
	LateServerMs int `json:"late_server_ms"`
}

// Do is the task of the client.
type Do struct {
	Call      string `json:"call"`
	Cluster   string `json:"cluster"`
	Records   int    `json:"records"`
	BatchSize int    `json:"batch_size"`
	PageSize  int    `json:"page_size"`
	Limit     int    `json:"limit"`
	// FlushAgain flushes once more if the first flush failed.
	FlushAgain bool `json:"flush_again"`
	// MaxKept is the largest number of records that a batcher keeps.
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

// Fault is the fault of one call.
type Fault struct {
	// Code ends the call: at once, or after DropAfter answers.
	Code    string `json:"code"`
	Reason  string `json:"reason"`
	RetryMs *int   `json:"retry_ms"`
	// DropAfter is the number of answers that the client gets; the next is lost, and the call ends.
	DropAfter *int `json:"drop_after"`
	// DelayMs is the delay before the call is forwarded.
	DelayMs int `json:"delay_ms"`
	// Repeat sends every answer twice.
	Repeat bool `json:"repeat"`
	// Silent sends no answer.
	Silent bool `json:"silent"`
	// FreezeAfter is the number of answers after which the connection passes nothing more, as if the
	// server's host had vanished.
	FreezeAfter int `json:"freeze_after"`
	// MisfitAfter is the number of answers before a change of the ranking that does not fit.
	MisfitAfter int `json:"misfit_after"`
	// MisfitIneligible: the change concerns the jobs that cannot start.
	MisfitIneligible bool `json:"misfit_ineligible"`
	// RenewCertificate replaces the certificate and key in the client's files before the call ends, and
	// breaks its connections after it.
	RenewCertificate bool `json:"renew_certificate"`
	// RenewToken replaces the token in the client's file before the call ends.
	RenewToken bool `json:"renew_token"`
}

// Expect is the expected outcome; omitted fields, except the code, may have any value.
type Expect struct {
	Code string `json:"code"` // "" = OK
	// OrCode is another code that is as right, by when the deadline ends an attempt.
	OrCode     string         `json:"or_code"`
	Reason     string         `json:"reason"`
	Violations []string       `json:"violations"`
	Calls      map[string]int `json:"calls"`
	// Answered is the number of records that were accepted or duplicates.
	Answered int `json:"answered"`
	// Ledger is the number of records that the real service has, each once.
	Ledger int      `json:"ledger"`
	Top    []string `json:"top"`
	// Ineligible are the jobs that cannot start by the watch, in order.
	Ineligible []string `json:"ineligible"`
	Rows       int      `json:"rows"`
	// MinGapMs is the least time between the first two calls.
	MinGapMs int `json:"min_gap_ms"`
	MaxMs    int `json:"max_ms"`
	// Full is whether a batcher reported that it holds its maximum of records.
	Full bool `json:"full"`
	// Notices of a rate limit.
	Notices int `json:"notices"`
	// Clusters in the metadata of the calls, in order.
	Clusters []string `json:"clusters"`
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
