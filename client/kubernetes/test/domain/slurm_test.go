package domain

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"priorityd/kubernetes/test/plane"
)

// slurm is a real slurmctld with slurmd, slurmdbd and MariaDB, by tests/slurm/commanded.
type slurm struct {
	home    string
	input   io.WriteCloser
	answers *bufio.Scanner
	process *exec.Cmd
	log     string
}

// asked is a command for tests/slurm/commanded, and answered what it answers.
type asked struct {
	Do      string `json:"do"`
	Command string `json:"command,omitempty"`
	Daemon  string `json:"daemon,omitempty"`
	User    string `json:"user,omitempty"`
}

type answered struct {
	Status int    `json:"status"`
	Output string `json:"output"`
}

// startSlurm starts one with these users, each USER=ACCOUNT.
func startSlurm(folder string, users ...string) (*slurm, error) {
	s := &slurm{log: folder + "/slurm.log"}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.process = exec.Command(filepath.Join(plane.Root(), "tests/slurm/commanded"), users...)
	s.process.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	s.process.Stderr = log
	output, outputErr := s.process.StdoutPipe()
	s.input, err = s.process.StdinPipe()
	if err := errors.Join(outputErr, err); err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	s.answers = bufio.NewScanner(output)
	up, err := s.answer()
	s.home = up.Output
	return s, err
}

// stop ends all that was started: it does so when its input ends.
func (s *slurm) stop() {
	s.input.Close()
	s.process.Wait()
}

func (s *slurm) answer() (answered, error) {
	var a answered
	if !s.answers.Scan() {
		text, _ := os.ReadFile(s.log)
		return a, fmt.Errorf("tests/slurm/commanded ended: %s", text)
	}
	return a, json.Unmarshal(s.answers.Bytes(), &a)
}

func (s *slurm) ask(t *testing.T, a asked) answered {
	t.Helper()
	text, err := json.Marshal(a)
	must(t, err)
	_, err = fmt.Fprintf(s.input, "%s\n", text)
	must(t, err)
	got, err := s.answer()
	must(t, err)
	return got
}

// run runs a command as a user, or as root, and returns what it prints.
func (s *slurm) run(t *testing.T, user, command string, args ...any) string {
	t.Helper()
	command = fmt.Sprintf(command, args...)
	got := s.ask(t, asked{Do: "run", Command: command, User: user})
	if got.Status != 0 {
		t.Fatalf("%s: %s", command, got.Output)
	}
	return strings.TrimSpace(got.Output)
}

// kill kills slurmctld, slurmdbd or mariadbd.
func (s *slurm) kill(t *testing.T, daemon string) {
	t.Helper()
	s.ask(t, asked{Do: "kill", Daemon: daemon})
}

// start starts one again, and waits until it serves.
func (s *slurm) start(t *testing.T, daemon string) {
	t.Helper()
	s.ask(t, asked{Do: "start", Daemon: daemon})
}

// environment is that of Slurm's tools.
func (s *slurm) environment() []string {
	return append(os.Environ(), "SLURM_CONF="+s.home+"/etc/slurm.conf", "TZ=UTC", "LC_ALL=C.UTF-8", "SLURM_TIME_FORMAT=standard")
}

// awaitSaved waits until slurmctld has stored its jobs after a change to one of them.
func (s *slurm) awaitSaved(t *testing.T, job string) {
	t.Helper()
	since := time.Now()
	s.run(t, "", "scontrol update jobid=%s comment=saved", job)
	eventually(t, "slurmctld's stored state", func() error {
		state, err := os.Stat(s.home + "/state/job_state")
		if err == nil && state.ModTime().Before(since) {
			err = fmt.Errorf("it is of %v", state.ModTime())
		}
		return err
	})
}

// charges are the billing-seconds of the ended runs in slurmdbd, by job: the allocated billing from start to end.
func (s *slurm) charges(t *testing.T) map[string]float64 {
	t.Helper()
	sums := map[string]float64{}
	for _, line := range strings.Fields(s.run(t, "", "SLURM_TIME_FORMAT=%%s sacct -aXDPn -S now-1hour -o JobIDRaw,Start,End,AllocTRES")) {
		cells := strings.Split(line, "|")
		start, startErr := strconv.ParseFloat(cells[1], 64)
		end, endErr := strconv.ParseFloat(cells[2], 64)
		if startErr != nil || endErr != nil || end <= start {
			continue // It waits or runs, or never started.
		}
		for _, tres := range strings.Split(cells[3], ",") {
			if billing, found := strings.CutPrefix(tres, "billing="); found {
				number, err := strconv.ParseFloat(billing, 64)
				must(t, err)
				sums[cells[0]] += number * (end - start)
			}
		}
	}
	return sums
}

// collector is priorityd-collect over sacct, from an hour ago on: each run reads all jobs again.
func (s *slurm) collector(t *testing.T, address string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), collectorsPython(), "-m", "priorityd_collect", "sacct", "--since", "1h", "--batch-size", "1",
		"--server", address, "--auth", "none", "--cluster", "slurm", "--rejected", s.home+"/rejected")
	c.Env = append(s.environment(), "PYTHONDONTWRITEBYTECODE=1",
		"PYTHONPATH="+plane.Root()+"/client/python:"+plane.Root()+"/client/collectors")
	return c
}

// collect collects all.
func (s *slurm) collect(t *testing.T, address string) {
	t.Helper()
	if output, err := s.collector(t, address).CombinedOutput(); err != nil {
		t.Fatalf("priorityd-collect: %v\n%s", err, output)
	}
}

// drive is one pass of priorityd-slurm, which mirrors the cluster and sets its order.
func (s *slurm) drive(t *testing.T, address string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), frontend(), "drive", "--once", "--server", address, "--auth", "none", "--cluster", "slurm",
		"--usage", "none", "--state", s.home+"/driven")
	c.Env = s.environment()
	if output, err := c.CombinedOutput(); err != nil {
		t.Fatalf("priorityd-slurm: %v\n%s", err, output)
	}
}

// order are the accounts of the waiting jobs by slurmctld's priorities.
func (s *slurm) order(t *testing.T) []string {
	t.Helper()
	return strings.Fields(s.run(t, "", "squeue -h -t PD -S -p,i -o %%a"))
}

// programs are those of Debian's packages that tests/slurm/packages names.
func missingPrograms() string {
	for _, name := range []string{"slurmctld", "slurmd", "slurmdbd", "mariadbd", "munged", "sacct"} {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		if _, err := os.Stat("/usr/sbin/" + name); err != nil {
			return name
		}
	}
	return ""
}

func frontend() string {
	return filepath.Join(filepath.Dir(filepath.Dir(plane.PrioritydBinary())), "client/slurm/priorityd-slurm")
}

func collectorsPython() string { return filepath.Join(plane.Root(), ".cache/python/bin/python") }
