package targets

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"priorityd/kubernetes/internal/weights"
)

const fairshare = "fairshare"

// SlurmScale is that of shares.
var SlurmScale = weights.Scale{Factor: 1000, Lowest: 1, Limit: 1 << 30}

// Slurm writes the shares of accounts in another cluster of Slurm by sacctmgr.
type Slurm struct {
	Cluster   string
	Command   []string // sacctmgr, or a program with its arguments before those of sacctmgr.
	StateFile string
	In        weights.Scale
	// Run runs a command and returns what it prints; a test replaces it.
	Run func(ctx context.Context, command []string) (string, error)
}

// A command that takes longer is ended, as it would delay the other groups.
var commandTime = 5 * time.Minute

// RunCommand runs a command; its error has what it printed.
func RunCommand(ctx context.Context, command []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.WaitDelay = time.Second // A program that it has started may still have its output open.
	output, err := run.Output()
	if ended := ctx.Err(); err != nil && errors.Is(ended, context.DeadlineExceeded) {
		return "", fmt.Errorf("%s: no end within %v: %w", command[0], commandTime, ended)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %.400q", command[0], err, exit.Stderr)
	}
	return string(output), err
}

// Field names the field.
func (s *Slurm) Field() string { return "account Fairshare of cluster " + s.Cluster }

// Scale is that of the field.
func (s *Slurm) Scale() weights.Scale { return s.In }

// Read lists the shares of accounts.
func (s *Slurm) Read(ctx context.Context, queues []string, now time.Time) (map[string]State, error) {
	for _, name := range queues {
		if strings.ContainsAny(name, " ,=|'\"\\\n") {
			return nil, fmt.Errorf("queue: got %q, want the name of an account of Slurm", name)
		}
	}
	records, err := readKept(s.StateFile)
	if err != nil {
		return nil, err
	}
	states := map[string]State{}
	for _, name := range queues {
		states[name] = State{Missing: true}
	}
	text, err := s.Run(ctx, s.command("-n", "-P", "show", "assoc", "cluster="+s.Cluster, "account="+strings.Join(queues, ","), "format=Account,User,Share"))
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(text, "\n") {
		columns := strings.Split(line, "|")
		if len(columns) < 3 || columns[1] != "" || !slices.Contains(queues, columns[0]) {
			continue
		}
		shares, err := strconv.ParseUint(columns[2], 10, 31)
		if err != nil {
			return nil, fmt.Errorf("sacctmgr: account %q: got the share %.40q, want a number", columns[0], columns[2])
		}
		state := State{Value: float64(shares)}
		records.of(columns[0], fairshare, &state, now)
		states[columns[0]] = state
	}
	return states, nil
}

func (s *Slurm) command(arguments ...string) []string {
	return append(slices.Clone(s.Command), arguments...)
}

// Modify is the command that sets the shares of an account.
func (s *Slurm) Modify(account string, shares float64) []string {
	return s.command("-i", "modify", "account", "where", "name="+account, "cluster="+s.Cluster, "set", fmt.Sprintf("fairshare=%.0f", shares))
}

// Write keeps the record first, then runs the command.
func (s *Slurm) Write(ctx context.Context, change Change, now time.Time, dry bool) error {
	if dry {
		return nil
	}
	records, err := readKept(s.StateFile)
	if err != nil {
		return err
	}
	record := next(change.State, map[string]any{fairshare: change.State.Value}, now)
	if err := records.set(change.Queue, &record); err != nil {
		return err
	}
	_, err = s.Run(ctx, s.Modify(change.Queue, change.To))
	return err
}

// Restore writes the former shares.
func (s *Slurm) Restore(ctx context.Context, queue string, state State, dry bool) error {
	former, err := weights.Number(state.Record.Former[fairshare])
	if err != nil || dry {
		return err
	}
	if _, err := s.Run(ctx, s.Modify(queue, former)); err != nil {
		return err
	}
	records, err := readKept(s.StateFile)
	if err != nil {
		return err
	}
	return records.set(queue, nil)
}
