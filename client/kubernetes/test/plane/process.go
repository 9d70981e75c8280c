// Package plane runs a real control plane on this machine: etcd, kube-apiserver, kube-controller-manager, Kueue, and a
// priorityd on a PostgreSQL of its own, as client/kubernetes/test/run has built them.
package plane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a program that runs, is killed, and runs again with the same arguments.
type Process struct {
	name    string
	path    string
	args    []string
	env     []string
	log     string
	command *exec.Cmd
}

// Start starts it; what it says goes to a file.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	p.command = exec.Command(p.path, p.args...)
	p.command.Env = append(os.Environ(), p.env...)
	p.command.Stdout, p.command.Stderr = log, log
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return p.command.Start()
}

// Kill ends it at once, as a power failure does.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// Stop asks it to end, and waits until it has.
func (p *Process) Stop() { p.end(syscall.SIGTERM) }

func (p *Process) end(signal syscall.Signal) {
	if p.command == nil || p.command.Process == nil {
		return
	}
	p.command.Process.Signal(signal)
	p.command.Wait()
	p.command = nil
}

// Tail is the end of what it said.
func (p *Process) Tail() string {
	text, _ := os.ReadFile(p.log)
	return fmt.Sprintf("%s:\n%s", p.name, text[max(0, len(text)-4000):])
}

// binaries is where client/kubernetes/test/run keeps what it builds.
func binaries() string {
	if folder := os.Getenv("PRIORITYD_KUBERNETES_BIN"); folder != "" {
		return folder
	}
	cache, _ := os.UserCacheDir()
	return filepath.Join(cache, "priorityd", "kubernetes")
}

// Missing names a program that the plane needs and that is not built; empty = none.
func Missing() string {
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "kueue", "priorityd-kubernetes"} {
		if _, err := os.Stat(filepath.Join(binaries(), name)); err != nil {
			return name
		}
	}
	if _, err := os.Stat(prioritydBinary()); err != nil {
		return prioritydBinary()
	}
	return ""
}

// freePort is one that nobody listens on now.
func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// FreePort is one that nobody listens on now.
func FreePort() int { return freePort() }

// PID is the process's number, 0 while it does not run.
func (p *Process) PID() int {
	if p.command == nil || p.command.Process == nil {
		return 0
	}
	return p.command.Process.Pid
}

// Await waits until check is nil; else it says what check said last.
func Await(ctx context.Context, limit time.Duration, what string, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(ctx.Err(), err))
		case <-time.After(100 * time.Millisecond):
		}
	}
}
