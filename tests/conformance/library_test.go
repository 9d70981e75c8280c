package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const outcomeTimeout = 2 * time.Minute

// library is a client library with a runner.
type library struct {
	name    string
	command []string
	// missing is the reason why it cannot run here.
	missing string

	process *exec.Cmd
	tasks   io.WriteCloser
	answers *bufio.Reader
}

// libraries of the project. Missing ones are skipped, unless the environment requires all.
func libraries(t *testing.T) []*library {
	t.Helper()
	python := absolute("../../.cache/python/bin/python")
	cpp := binary("tests/conformance/cpp/runner")
	all := []*library{
		{name: "C++", command: []string{cpp}, missing: unless(cpp, "bazel build -c opt //tests/conformance/cpp:runner")},
		{name: "Go", command: []string{goRunner(t)}},
		{name: "Python", command: []string{python, "python/runner.py"}, missing: unless(python, "tools/python")},
		{name: "Python asyncio", command: []string{python, "python/asyncio_runner.py"}, missing: unless(python, "tools/python")},
	}
	for _, l := range all {
		t.Cleanup(l.stop)
	}
	return all
}

func absolute(path string) string {
	path, _ = filepath.Abs(path)
	return path
}

func unless(path, makes string) string {
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	return fmt.Sprintf("needs %s: %s", path, makes)
}

// goRunner is built with the race detector, which ends it on a data race.
func goRunner(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/runner"
	if out, err := exec.Command("go", "build", "-race", "-o", path, "./go_runner").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// run runs a task in the library.
func (l *library) run(task Task) (Outcome, error) {
	if err := l.start(); err != nil {
		return Outcome{}, err
	}
	line, err := json.Marshal(task)
	if err != nil {
		return Outcome{}, err
	}
	if _, err := l.tasks.Write(append(line, '\n')); err != nil {
		l.stop()
		return Outcome{}, err
	}
	return l.read()
}

func (l *library) start() error {
	if l.process != nil {
		return nil
	}
	process := exec.Command(l.command[0], l.command[1:]...)
	process.Stderr = os.Stderr
	process.Env = append(os.Environ(), "GORACE=halt_on_error=1", "PYTHONPATH="+absolute("../../client/python"), "PYTHONDONTWRITEBYTECODE=1")
	tasks, err := process.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	l.process, l.tasks, l.answers = process, tasks, bufio.NewReader(answers)
	return nil
}

// read returns the next outcome. A runner that does not answer is killed; the next case starts another.
func (l *library) read() (Outcome, error) {
	process := l.process.Process
	timer := time.AfterFunc(outcomeTimeout, func() { process.Kill() })
	defer timer.Stop()
	var outcome Outcome
	line, err := l.answers.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &outcome)
	}
	if err != nil {
		l.stop()
		return outcome, fmt.Errorf("the runner: %w", err)
	}
	return outcome, nil
}

func (l *library) stop() {
	if l.process != nil {
		l.tasks.Close()
		l.process.Process.Kill()
		l.process.Wait()
		l.process = nil
	}
}
