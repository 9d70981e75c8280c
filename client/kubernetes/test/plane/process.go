// Package plane runs a real control plane on this machine: etcd, kube-apiserver, kube-controller-manager, Kueue, and a
// priorityd on its own PostgreSQL, as client/kubernetes/test/run has built them.
package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is a program that can be killed and started again with the same arguments.
type Process struct {
	name    string
	path    string
	args    []string
	env     []string
	log     string
	user    uint32 // 0 = this process's.
	command *exec.Cmd
}

// Start starts it; its output goes to a file.
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
	if p.user != 0 {
		p.command.SysProcAttr.Credential = &syscall.Credential{Uid: p.user, Gid: p.user}
		p.command.Dir = "/"
	}
	return p.command.Start()
}

// Kill ends it at once, like a power failure.
func (p *Process) Kill() { p.end(syscall.SIGKILL) }

// Stop terminates it, and waits for its end.
func (p *Process) Stop() { p.end(syscall.SIGTERM) }

func (p *Process) end(signal syscall.Signal) {
	if p.command == nil || p.command.Process == nil {
		return
	}
	p.command.Process.Signal(signal)
	p.command.Wait()
	p.command = nil
}

// Log is its output since its first start.
func (p *Process) Log() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// Tail is the end of its output.
func (p *Process) Tail() string {
	text := p.Log()
	return fmt.Sprintf("%s:\n%s", p.name, text[max(0, len(text)-4000):])
}

// Binary is the path of a program that client/kubernetes/test/run builds.
func Binary(name string) string { return filepath.Join(binaries(), name) }

func binaries() string {
	if folder := os.Getenv("PRIORITYD_KUBERNETES_BIN"); folder != "" {
		return folder
	}
	cache, _ := os.UserCacheDir()
	return filepath.Join(cache, "priorityd", "kubernetes")
}

// Missing names a needed program that is not built; empty = none.
func Missing() string {
	return MissingOf("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "kueue", "priorityd-kubernetes")
}

// MissingOf names the first of some programs, and of priorityd, that is not built; empty = none.
func MissingOf(names ...string) string {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(binaries(), name)); err != nil {
			return name
		}
	}
	if _, err := os.Stat(PrioritydBinary()); err != nil {
		return PrioritydBinary()
	}
	return ""
}

// freePort is a port of 127.0.0.1 without a listener. A socket that does not listen keeps it until this process ends, so that
// nobody else is given it before its process listens, or while that is killed; a listener with SO_REUSEADDR, as those of Go,
// PostgreSQL and gRPC, may share it.
func freePort() int {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err == nil {
		err = errors.Join(syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1),
			syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	}
	name, nameErr := syscall.Getsockname(socket)
	if err := errors.Join(err, nameErr); err != nil {
		panic(fmt.Sprint("no port of 127.0.0.1 is free: ", err))
	}
	return name.(*syscall.SockaddrInet4).Port
}

// FreePort is a port without a listener.
func FreePort() int { return freePort() }

// PID is the process's number, 0 while it does not run.
func (p *Process) PID() int {
	if p.command == nil || p.command.Process == nil {
		return 0
	}
	return p.command.Process.Pid
}

// Await waits until check returns nil; otherwise it returns the last error of check.
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
