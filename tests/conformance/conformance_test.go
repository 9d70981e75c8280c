package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"priorityd/conformance/faults"
)

const (
	// The default retry policy of a case's client, in attempts and milliseconds.
	attempts   = 4
	backoff    = 20
	maxBackoff = 100
	deadline   = 20_000
	keepalive  = 20_000
)

// TestLibraries runs every case in each library, through a faulty server, against the real
// priorityd.
func TestLibraries(t *testing.T) {
	cases := readCases(t)
	libraries := libraries(t)
	site := startSite(t, users(len(cases)*len(libraries)), nil)
	secured := startSecuredSite(t)
	for i, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			if l.missing != "" {
				t.Skip("skipped, " + l.missing)
			}
			for j, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					if slices.Contains(c.Without, l.name) {
						t.Skip("the library has no such thing")
					}
					trial := &trial{c, l, site, user(i*len(cases) + j)}
					if c.Client.Secured {
						secured.run(t, trial)
					} else {
						trial.run(t)
					}
				})
			}
		})
	}
}

func readCases(t *testing.T) []faults.Case {
	t.Helper()
	cases, err := faults.ReadCases("cases")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	return cases
}

func user(i int) string { return fmt.Sprintf("u%d", i) }

func users(count int) []string {
	var names []string
	for i := range count {
		names = append(names, user(i))
	}
	return names
}

// trial is a run of a case by a library, with its own user.
type trial struct {
	faults.Case
	library *library
	site    *site
	user    string
}

func (r *trial) run(t *testing.T) {
	proofs := newProofs(t, r.Client.Proof)
	proxy, err := faults.Listen(r.site.conn, r.Faults, proofs.server, faults.Hooks{
		RenewCertificate: proofs.renewCertificate,
		RenewToken:       proofs.renewToken,
		OnChange:         func(answers int) { r.changeQueue(t, answers) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Stop()
	r.changeQueue(t, 0)
	address := proxy.Address
	if r.Client.LateServerMs != 0 {
		late, end, err := faults.Late(address, time.Duration(r.Client.LateServerMs)*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		address = late
	}
	task := r.task(address)
	proofs.fill(r.Client.Proof, &task)
	begin := time.Now()
	outcome, err := r.library.run(task)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	r.checkOutcome(t, outcome, took)
	r.checkCalls(t, proxy.Calls(), proofs)
	r.checkLedger(t)
	if t.Failed() {
		t.Logf("%s\ngot %+v in %v\ncalls %+v", r.What, outcome, took, proxy.Calls())
	}
}

func (r *trial) changeQueue(t *testing.T, step int) {
	if step >= len(r.Queue) {
		return
	}
	if err := r.site.change(t.Context(), r.user, r.Queue[step]); err != nil {
		t.Errorf("the queue: %v", err)
	}
}

func (r *trial) task(address string) Task {
	if r.Client.DeadServer {
		address = "127.0.0.1:1," + address // The address has no listener.
	}
	return Task{
		Address:          address,
		MaxAttempts:      orElse(r.Client.MaxAttempts, attempts),
		InitialBackoffMs: orElse(r.Client.InitialBackoffMs, backoff),
		MaxBackoffMs:     orElse(r.Client.MaxBackoffMs, maxBackoff),
		DeadlineMs:       orElse(r.Client.DeadlineMs, deadline),
		KeepaliveMs:      orElse(r.Client.KeepaliveMs, keepalive),
		Call:             r.Do.Call,
		Cluster:          r.Do.Cluster,
		User:             r.user,
		Records:          r.Do.Records,
		BatchSize:        r.Do.BatchSize,
		MaxKept:          r.Do.MaxKept,
		PageSize:         r.Do.PageSize,
		Limit:            r.Do.Limit,
		FlushAgain:       r.Do.FlushAgain,
		Until:            jobIDs(r.user, r.Do.Until),
		Ineligible:       r.Do.Ineligible,
		UntilIneligible:  jobIDs(r.user, r.Do.UntilIneligible),
	}
}

func orElse(value, otherwise int) int {
	if value == 0 {
		return otherwise
	}
	return value
}

func (r *trial) checkOutcome(t *testing.T, got Outcome, took time.Duration) {
	t.Helper()
	want := r.Expect
	if want.Code == "" {
		want.Code = "OK"
	}
	if want.OrCode == "" || got.Code != want.OrCode {
		check(t, "code", got.Code, want.Code)
	}
	check(t, "reason", got.Reason, want.Reason)
	check(t, "violations", len(got.Violations), len(want.Violations))
	for i, field := range want.Violations {
		check(t, "violation", got.Violations[i], field)
	}
	check(t, "records answered", got.Answered, want.Answered)
	check(t, "a full spool", got.Full, want.Full)
	check(t, "notices of a rate limit", got.Notices, want.Notices)
	if want.Top != nil {
		check(t, "top", got.Top, jobIDs(r.user, want.Top))
	}
	if want.Ineligible != nil {
		check(t, "jobs that cannot start", got.Ineligible, jobIDs(r.user, want.Ineligible))
	}
	if want.Rows != 0 {
		check(t, "rows", got.Rows > want.Rows, true)
	}
	if want.MaxMs != 0 && took > time.Duration(want.MaxMs)*time.Millisecond {
		t.Errorf("took %v, want at most %d ms", took, want.MaxMs)
	}
}

func (r *trial) checkCalls(t *testing.T, calls []faults.Call, proofs *proofs) {
	t.Helper()
	counts := map[string]int{}
	var authorizations, clusters []string
	for _, call := range calls {
		counts[call.RPC]++
		authorizations = append(authorizations, proofs.nameOf(call))
		clusters = append(clusters, call.Cluster)
	}
	for rpc, want := range r.Expect.Calls {
		check(t, "calls of "+rpc, counts[rpc], want)
	}
	if r.Expect.Clusters != nil {
		check(t, "clusters", clusters, r.Expect.Clusters)
	}
	if r.Expect.Authorizations != nil {
		check(t, "authorizations", authorizations, r.Expect.Authorizations)
	}
	if want := time.Duration(r.Expect.MinGapMs) * time.Millisecond; want > 0 && len(calls) > 1 {
		if gap := calls[1].At.Sub(calls[0].At); gap < want {
			t.Errorf("the second call came after %v, want %v", gap, want)
		}
	}
}

// The ledger of the real service has each record once.
func (r *trial) checkLedger(t *testing.T) {
	t.Helper()
	if r.Do.Records == 0 {
		return
	}
	got, err := r.site.ledger(t.Context(), r.user, r.Do.Records)
	if err != nil {
		t.Error(err)
	}
	check(t, "records in the ledger", got, r.Expect.Ledger)
}

func check[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
