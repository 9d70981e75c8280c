// Package conformance runs the conformance cases in each client library.
package conformance

// Task is the input of a runner: a line of JSON on its standard input for each case.
type Task struct {
	Address          string   `json:"address"`
	MaxAttempts      int      `json:"max_attempts"`
	InitialBackoffMs int      `json:"initial_backoff_ms"`
	MaxBackoffMs     int      `json:"max_backoff_ms"`
	DeadlineMs       int      `json:"deadline_ms"`
	KeepaliveMs      int      `json:"keepalive_ms"` // Time and timeout.
	TokenFile        string   `json:"token_file"`
	MungeSocket      string   `json:"munge_socket"`
	CA               string   `json:"ca"`
	Certificate      string   `json:"certificate"`
	Key              string   `json:"key"`
	Call             string   `json:"call"`
	Cluster          string   `json:"cluster"`
	User             string   `json:"user"`
	Records          int      `json:"records"`
	BatchSize        int      `json:"batch_size"`
	MaxKept          int      `json:"max_kept"`
	PageSize         int      `json:"page_size"`
	Limit            int      `json:"limit"`
	FlushAgain       bool     `json:"flush_again"`
	Until            []string `json:"until"`
	Ineligible       bool     `json:"ineligible"`
	UntilIneligible  []string `json:"until_ineligible"`
}

// Outcome is the output of a runner: a line of JSON on its standard output.
type Outcome struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Reason     string   `json:"reason"`
	Violations []string `json:"violations"`
	Answered   int      `json:"answered"`
	Top        []string `json:"top"`
	Ineligible []string `json:"ineligible"`
	Rows       int      `json:"rows"`
	Full       bool     `json:"full"`
	Notices    int      `json:"notices"`
}

// Record i of a user is of the ten seconds from recordsBegin + 10 i on, and uses 1 + i % 7 CPUs.
const (
	recordsBegin  = 1_700_000_000
	recordSeconds = 10
)

// CPUs of record i.
func CPUs(i int) float64 { return float64(1 + i%7) }

// Start of record i, in seconds since 1970.
func Start(i int) int64 { return recordsBegin + recordSeconds*int64(i) }

// End of record i.
func End(i int) int64 { return Start(i + 1) }
