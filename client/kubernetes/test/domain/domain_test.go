// Package domain runs a real Slurm and a real Kueue in one usage domain of priorityd.
package domain

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd.internal/client"
	pb "priorityd.internal/client/priorityv1"
	"priorityd/kubernetes/test/check"
)

const cpus = 16 // Of the ClusterQueue, of each Workload, and of Slurm's nodes.

var users = map[string]string{"chem": "amy", "physics": "ben", "bio": "cem"}

var must, eventually = check.Must, check.Eventually

// awaitOrder waits until Kueue has this order, over recalculations of the domain.
func (s *site) awaitOrder(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, "Kueue's order", func() error {
		if _, err := s.domain.Admin.Recalculate(t.Context(), &pb.RecalculateRequest{}); err != nil {
			return err
		}
		if got := s.order(t); !slices.Equal(got, want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	})
}

// awaitOrderInSlurm waits until slurmctld has this order, by passes of priorityd-slurm.
func (s *site) awaitOrderInSlurm(t *testing.T, want ...string) {
	t.Helper()
	eventually(t, "Slurm's order", func() error {
		s.slurm.drive(t, s.Priorityd.Address)
		if got := s.slurm.order(t); !slices.Equal(got, want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	})
}

// used are the billing-seconds of finished Workloads, by job of the domain: all CPUs from admission to end.
func (s *site) usedInKueue(t *testing.T) map[string]float64 {
	t.Helper()
	sums := map[string]float64{}
	for _, w := range s.workloads(t) {
		if end := since(&w, kueue.WorkloadFinished); !end.IsZero() {
			sums["kueue/"+string(w.UID)] = cpus * end.Sub(since(&w, kueue.WorkloadAdmitted)).Seconds()
		}
	}
	return sums
}

// usedBy are the billing-seconds of an account's finished Workloads.
func (s *site) usedBy(t *testing.T, account string) float64 {
	t.Helper()
	all, sum := s.usedInKueue(t), 0.
	for _, w := range s.workloads(t) {
		if w.Namespace == account {
			sum += all["kueue/"+string(w.UID)]
		}
	}
	return sum
}

// records are the records of a cluster's ledger, without the collector's marks, which charge nothing.
func records(ctx context.Context, calls *client.Client) ([]*pb.LedgerRecord, error) {
	answer, err := calls.ListUsageRecords(ctx, &pb.ListUsageRecordsRequest{PageSize: 10_000})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(answer.Records, func(r *pb.LedgerRecord) bool {
		return strings.Contains(r.Record.JobId, "mark:") && r.Billing == 0
	}), nil
}

// domainsLedger are the billing-seconds of the domain's records by job.
func (s *site) domainsLedger(ctx context.Context) (map[string]float64, error) {
	all, err := records(ctx, s.domain)
	sums := map[string]float64{}
	for _, r := range all {
		sums[r.Record.JobId] += r.Billing * r.Record.EndTime.AsTime().Sub(r.Record.StartTime.AsTime()).Seconds()
	}
	return sums, err
}

// awaitCounted waits until the domain has each run of slurmdbd and each finished Workload exactly once, and nothing else, and
// its accounts the sums of these. Usage decays by less than a thousandth in twelve hours.
func (s *site) awaitCounted(t *testing.T) {
	t.Helper()
	want := s.usedInKueue(t)
	for job, charge := range s.slurm.charges(t) {
		want["slurm/"+job] = charge
	}
	total := 0.
	for _, charge := range want {
		total += charge
	}
	eventually(t, "the domain's ledger", func() error {
		if _, err := s.domain.Admin.Recalculate(t.Context(), &pb.RecalculateRequest{}); err != nil {
			return err
		}
		got, err := s.domainsLedger(t.Context())
		if err != nil {
			return err
		}
		for job := range got {
			if _, found := want[job]; !found {
				return fmt.Errorf("%s counts, want it not to", job)
			}
		}
		for job, charge := range want {
			if math.Abs(got[job]-charge) > 1e-6 {
				return fmt.Errorf("%s: got %v billing-seconds, want %v", job, got[job], charge)
			}
		}
		shares, err := s.domain.ListShares(t.Context(), &pb.ListSharesRequest{AccountsOnly: true})
		if err != nil {
			return err
		}
		if root := shares.Shares[0].RawUsage; math.Abs(root/total-1) > 0.001 {
			return fmt.Errorf("the root of the domain has used %v, want %v", root, total)
		}
		return nil
	})
	t.Logf("the domain counts %d jobs, %.0f billing-seconds", len(want), total)
}

func (s *site) killController(t *testing.T) {
	t.Helper()
	s.Controller.Kill()
	must(t, s.Controller.Start())
}

func (s *site) killPriorityd(t *testing.T) {
	t.Helper()
	s.Priorityd.Kill()
	must(t, s.Priorityd.Start())
	must(t, s.Priorityd.Await(t.Context()))
}

// killCollector kills the collector while priorityd has stored a record that is not acknowledged.
func (s *site) killCollector(t *testing.T) {
	t.Helper()
	r := startRelay(t, s.Priorityd.Address)
	c := s.slurm.collector(t, r.address)
	must(t, c.Start())
	r.awaitWithheld(t)
	c.Process.Kill()
	ended := c.Wait()
	t.Logf("the collector was killed after %d new records, one of them acknowledged: %v", r.stored.Load(), ended)
}

// killWhileCollecting kills priorityd while it has stored a record that is not acknowledged, and has not got others. The
// collector retries while priorityd does not run, and sends that record again after its start: it has accepted one new record
// and those that priorityd had not got, at least two as four batches are in flight at most, and the others are duplicates.
func (s *site) killWhileCollecting(t *testing.T) {
	t.Helper()
	r := startRelay(t, s.Priorityd.Address)
	c := s.slurm.collector(t, r.address)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	must(t, c.Start())
	r.awaitWithheld(t)
	s.Priorityd.Kill()
	eventually(t, "a retry of the collector", func() error {
		if failed := r.failed.Load(); failed < 2 {
			return fmt.Errorf("%d streams have failed, want that of the kill and another", failed)
		}
		return nil
	})
	must(t, s.Priorityd.Start())
	must(t, s.Priorityd.Await(t.Context()))
	ended := c.Wait()
	t.Logf("priorityd was killed while the collector sent: %s", strings.TrimSpace(output.String()))
	must(t, ended)
	var accepted, duplicates, rejected int
	_, err := fmt.Sscanf(output.String(), "%d accepted, %d duplicate, %d rejected", &accepted, &duplicates, &rejected)
	must(t, err)
	if accepted+duplicates != jobs || accepted < 3 || duplicates < known+3 || rejected != 0 {
		t.Errorf("got %s, want %d records, 3 or more of them new, and %d or more duplicates", &output, jobs, known+3)
	}
}

// chem uses Slurm: its Workloads fall behind those of physics in Kueue. Then physics uses Kueue: its jobs fall behind those of
// chem in Slurm, whose own usage says the opposite. Whatever is killed meanwhile, the domain has each run of a job and each
// Workload once.
func TestUsageInSlurmOrInKueueLowersThePlaceInTheOther(t *testing.T) {
	if reason := missing(); reason != "" {
		t.Skip(reason)
	}
	s := startSite(t)
	s.join(t)
	must(t, s.CreateClusterQueue(t.Context(), "one", map[corev1.ResourceName]string{"cpu": fmt.Sprint(cpus)}))
	for account := range users {
		must(t, s.CreateNamespace(t.Context(), account, "one"))
	}
	must(t, s.StartController("--source=kueue", "--cluster=kueue"))

	// physics has used a little of Kueue, so chem is first.
	little := s.submit(t, "physics", "little")
	s.awaitAdmitted(t, little)
	blocker := s.submit(t, "bio", "blocker")
	s.killController(t)
	time.Sleep(time.Until(since(little, kueue.WorkloadAdmitted).Add(2 * time.Second))) // So that it has a duration.
	s.finish(t, little)
	s.awaitAdmitted(t, blocker)
	s.awaitCounted(t)
	next := map[string]*kueue.Workload{"chem": s.submit(t, "chem", "next"), "physics": s.submit(t, "physics", "next")}
	s.awaitOrder(t, "chem", "physics")

	// chem uses Slurm for longer.
	s.useSlurm(t, "amy", "chem", 5+int(s.usedBy(t, "physics")/cpus))
	s.killCollector(t)
	s.killWhileCollecting(t)
	s.awaitOrder(t, "physics", "chem")
	s.slurm.run(t, "", "scontrol update nodename=n[1-2] state=drain reason=wait")
	for account, user := range map[string]string{"chem": "amy", "physics": "ben"} {
		s.slurm.run(t, user, "sbatch -A %s -n8 -w n1 -t 5 --mem=100 -o /dev/null --wrap='sleep 2'", account)
	}
	s.awaitOrderInSlurm(t, "physics", "chem")

	// physics uses Kueue for longer than that.
	s.finish(t, blocker)
	s.awaitAdmitted(t, next["physics"])
	s.killPriorityd(t)
	inSlurm := 0.
	for _, charge := range s.slurm.charges(t) {
		inSlurm += charge
	}
	enough := time.Duration((inSlurm-s.usedBy(t, "physics"))/cpus+5) * time.Second
	time.Sleep(time.Until(since(next["physics"], kueue.WorkloadAdmitted).Add(enough)))
	s.Controller.Kill()
	s.Priorityd.Kill()
	s.finish(t, next["physics"])
	must(t, s.Controller.Start())
	must(t, s.Priorityd.Start())
	must(t, s.Priorityd.Await(t.Context()))
	s.slurm.kill(t, "slurmctld")
	s.slurm.start(t, "slurmctld")
	s.awaitCounted(t)
	s.awaitOrderInSlurm(t, "chem", "physics")

	// slurmctld starts them so.
	s.slurm.run(t, "", "scontrol update nodename=n[1-2] state=resume")
	var started []string
	eventually(t, "the ends of both jobs", func() error {
		started = strings.Fields(s.slurm.run(t, "", "SLURM_TIME_FORMAT=%%s sacct -aXPn -S now-1hour -o Start,State,Account | grep COMPLETED | sort -n | cut -d'|' -f3"))
		if len(started) != jobs+2 {
			return fmt.Errorf("got %v, want the jobs from before and two", started)
		}
		return nil
	})
	if got := started[jobs:]; !slices.Equal(got, []string{"chem", "physics"}) {
		t.Errorf("got the starts %v in Slurm, want chem first", got)
	}
	s.awaitAdmitted(t, next["chem"])
	s.finish(t, next["chem"])
	for range 2 {
		s.slurm.collect(t, s.Priorityd.Address)
	}
	s.awaitCounted(t)
}
