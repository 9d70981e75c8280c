package targets

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"priorityd/kubernetes/internal/weights"
)

const (
	mostArmada     = 1 << 20
	priorityFactor = "priorityFactor"
)

// ArmadaScale is that of priorityFactor, a cost: half of it is twice the share. It is at least 1.
var ArmadaScale = weights.Scale{Kind: weights.Inverse, Factor: 100, Digits: 3, Lowest: 1, Limit: 1e6}

// Armada writes the priorityFactor of queues by Armada's REST API, which replaces whole queues: what a queue has otherwise is
// sent as it was read.
type Armada struct {
	URL       string // Without a slash at the end.
	TokenFile string
	StateFile string
	In        weights.Scale
	HTTP      *http.Client
}

// Field names the field.
func (a *Armada) Field() string { return "queue " + priorityFactor }

// Scale is that of the field.
func (a *Armada) Scale() weights.Scale { return a.In }

// Read reads the queues one by one.
func (a *Armada) Read(ctx context.Context, queues []string, now time.Time) (map[string]State, error) {
	records, err := readKept(a.StateFile)
	if err != nil {
		return nil, err
	}
	states := map[string]State{}
	for _, name := range queues {
		queue, err := a.call(ctx, http.MethodGet, name, nil)
		if err != nil {
			return nil, err
		}
		if queue == nil {
			states[name] = State{Missing: true}
			continue
		}
		s := State{Value: 1}
		if number, ok := queue[priorityFactor].(float64); ok && number > 0 {
			s.Value = number
		}
		records.of(name, priorityFactor, &s, now)
		states[name] = s
	}
	return states, nil
}

// Write keeps the record first: what was there before is never lost.
func (a *Armada) Write(ctx context.Context, change Change, now time.Time, dry bool) error {
	if dry {
		return nil
	}
	records, err := readKept(a.StateFile)
	if err != nil {
		return err
	}
	record := next(change.State, map[string]any{priorityFactor: change.State.Value}, now)
	if err := records.set(change.Queue, &record); err != nil {
		return err
	}
	return a.set(ctx, change.Queue, change.To, change.State.Value)
}

// Restore writes the former factor.
func (a *Armada) Restore(ctx context.Context, queue string, state State, dry bool) error {
	former, err := weights.Number(state.Record.Former[priorityFactor])
	if err != nil || dry {
		return err
	}
	if err := a.set(ctx, queue, former, state.Value); err != nil {
		return err
	}
	records, err := readKept(a.StateFile)
	if err != nil {
		return err
	}
	return records.set(queue, nil)
}

// set replaces a queue that has still the factor that was read.
func (a *Armada) set(ctx context.Context, name string, to, read float64) error {
	queue, err := a.call(ctx, http.MethodGet, name, nil)
	if err != nil {
		return err
	}
	if now, _ := queue[priorityFactor].(float64); queue == nil || now != read && !(now == 0 && read == 1) {
		return fmt.Errorf("queue %q: it has changed since it was read", name)
	}
	queue[priorityFactor] = to
	_, err = a.call(ctx, http.MethodPut, name, queue)
	return err
}

// call sends a request about a queue and returns the answer; nil = there is no such queue.
func (a *Armada) call(ctx context.Context, method, name string, body map[string]any) (map[string]any, error) {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, a.URL+"/v1/queue/"+url.PathEscape(name), &text)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if a.TokenFile != "" {
		token, err := os.ReadFile(a.TokenFile)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	response, err := a.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound && method == http.MethodGet {
		return nil, nil
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostArmada+1))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || len(answer) > mostArmada {
		return nil, fmt.Errorf("armada: %s of queue %q: got %s with %d bytes, want 200 with at most %d", method, name, response.Status, len(answer), mostArmada)
	}
	queue := map[string]any{}
	if err := json.Unmarshal(answer, &queue); err != nil {
		return nil, fmt.Errorf("armada: %s of queue %q: %w", method, name, err)
	}
	return queue, nil
}
