package domain

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	pb "priorityd.internal/client/priorityv1"
)

// jobs are those of a use of Slurm: each has one CPU, and ends when it is released.
const jobs = cpus

// known are the jobs that slurmdbd knows to have ended before it is killed, inHand those whose ends it is writing then.
const known, inHand = jobs / 4, jobs / 2

// useSlurm runs jobs on all CPUs, each for so many seconds at least. slurmctld is killed while all run, slurmdbd and MariaDB
// while jobs end and the collector reads them. In the end slurmdbd has what slurmctld says of each.
func (s *site) useSlurm(t *testing.T, user, account string, seconds int) {
	t.Helper()
	array := s.slurm.startHeld(t, user, account, seconds)
	s.slurm.awaitSaved(t, array)
	s.slurm.kill(t, "slurmctld")
	s.slurm.start(t, "slurmctld")
	s.slurm.release(t, 1, known)
	eventually(t, "the first ends of jobs in slurmdbd", func() error {
		if got := len(s.slurm.charges(t)); got != known {
			return fmt.Errorf("got %d, want %d", got, known)
		}
		return nil
	})
	s.killAccounting(t)
	s.slurm.release(t, inHand+1, jobs)
	want := s.slurm.awaitEnds(t, array)
	s.startAccounting(t)
	eventually(t, "slurmdbd's records", func() error {
		if got := s.slurm.charges(t); !maps.Equal(got, want) {
			return fmt.Errorf("slurmdbd has %v, slurmctld %v", got, want)
		}
		return nil
	})
}

// killAccounting kills slurmdbd and MariaDB while both the end of a job and what the collector reads wait in the database.
// The collector reports that, and records nothing.
func (s *site) killAccounting(t *testing.T) {
	t.Helper()
	s.slurm.lockJobs(t)
	s.slurm.release(t, known+1, inHand)
	s.slurm.awaitLocked(t, "update")
	c := s.slurm.collector(t, s.Priorityd.Address)
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	must(t, c.Start())
	s.slurm.awaitLocked(t, "select")
	s.slurm.kill(t, "slurmdbd")
	s.slurm.kill(t, "mariadbd")
	if err := c.Wait(); err == nil || !strings.Contains(output.String(), "sacct: ended with") {
		t.Errorf("the collector ended with %v: %s, want it to report sacct's end", err, &output)
	}
	answer, err := s.calls(t, "slurm").ListUsageRecords(t.Context(), &pb.ListUsageRecordsRequest{})
	must(t, err)
	if len(answer.Records) != 0 {
		t.Errorf("got %v in the ledger, want neither a record nor a mark", answer.Records)
	}
}

// startAccounting starts both again. slurmctld has stored its records in a file meanwhile, and sends them only after the
// collector has read what slurmdbd knew before.
func (s *site) startAccounting(t *testing.T) {
	t.Helper()
	eventually(t, "slurmctld's queue of records", func() error {
		size, err := strconv.Atoi(s.slurm.run(t, "", "sdiag | sed -n 's/^DBD Agent queue size: *//p'"))
		if err == nil && size < jobs-known {
			err = fmt.Errorf("got %d records, want one of each job", size)
		}
		return err
	})
	s.slurm.ask(t, asked{Do: "stop", Daemon: "slurmctld"})
	if file, err := os.Stat(s.slurm.home + "/state/dbd.messages"); err != nil || file.Size() == 0 {
		t.Errorf("slurmctld has not stored its records: %v", err)
	}
	s.slurm.start(t, "mariadbd")
	s.slurm.start(t, "slurmdbd")
	s.slurm.collect(t, s.Priorityd.Address)
	all, err := records(t.Context(), s.calls(t, "slurm"))
	must(t, err)
	if len(all) != known {
		t.Errorf("got %d records, want the %d that slurmdbd knew", len(all), known)
	}
	s.slurm.start(t, "slurmctld")
}

func (s *slurm) held(job int) string { return fmt.Sprintf("%s/held/%d", s.home, job) }

// startHeld starts jobs on all CPUs that run for so long, and then until they are released.
func (s *slurm) startHeld(t *testing.T, user, account string, seconds int) string {
	t.Helper()
	must(t, os.Mkdir(s.home+"/held", 0o755))
	for job := 1; job <= jobs; job++ {
		must(t, os.WriteFile(s.held(job), nil, 0o644))
	}
	script := fmt.Sprintf("sleep %d; while [ -e %s/held/$SLURM_ARRAY_TASK_ID ]; do sleep 0.3; done", seconds, s.home)
	array := s.run(t, user, "sbatch --parsable -A %s --array=1-%d -n1 -t 60 --mem=100 -o /dev/null --wrap='%s'", account, jobs, script)
	eventually(t, "the jobs of "+account, func() error {
		if running := s.run(t, "", "squeue -h -r -t R -j %s -o %%i", array); len(strings.Fields(running)) != jobs {
			return fmt.Errorf("got %q running, want all", running)
		}
		return nil
	})
	return array
}

func (s *slurm) release(t *testing.T, first, last int) {
	t.Helper()
	for job := first; job <= last; job++ {
		must(t, os.Remove(s.held(job)))
	}
}

// awaitEnds waits until slurmctld has ended all jobs, and returns the CPU-seconds of each: a CPU has the billing 1.
func (s *slurm) awaitEnds(t *testing.T, array string) map[string]float64 {
	t.Helper()
	used := map[string]float64{}
	eventually(t, "the ends of the jobs", func() error {
		lines := strings.Fields(s.run(t, "", "SLURM_TIME_FORMAT=%%s squeue -h -t CD -j %s -o '%%A|%%S|%%e|%%C'", array))
		if len(lines) != jobs {
			return fmt.Errorf("got %v, want all", lines)
		}
		for _, line := range lines {
			var start, end, count float64
			job, rest, _ := strings.Cut(line, "|")
			if _, err := fmt.Sscanf(rest, "%f|%f|%f", &start, &end, &count); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			used[job] = count * (end - start)
		}
		return nil
	})
	return used
}

// sql runs a statement in slurmdbd's database as its administrator.
func (s *slurm) sql(t *testing.T, statement string) string {
	t.Helper()
	return s.run(t, "", "mariadb --no-defaults -S %s/database/socket -Ne \"%s\"", s.home, statement)
}

// lockJobs locks the table of jobs for as long as MariaDB runs.
func (s *slurm) lockJobs(t *testing.T) {
	t.Helper()
	s.run(t, "", "mariadb --no-defaults -S %s/database/socket -e 'LOCK TABLES accounts.lab_job_table WRITE; SELECT SLEEP(3600)' >/dev/null 2>&1 &", s.home)
	eventually(t, "the lock of slurmdbd's jobs", func() error {
		if s.sql(t, "select count(*) from information_schema.processlist where info like 'SELECT SLEEP%'") != "1" {
			return errors.New("it has not got it")
		}
		return nil
	})
}

// awaitLocked waits until such a statement of slurmdbd waits for the lock.
func (s *slurm) awaitLocked(t *testing.T, verb string) {
	t.Helper()
	eventually(t, verb+" by slurmdbd", func() error {
		if s.sql(t, "select count(*) from information_schema.processlist where user = 'slurm' and state like 'Waiting%' and info like '"+
			verb+"%job_table%'") == "0" {
			return errors.New("it does not wait for the lock")
		}
		return nil
	})
}
