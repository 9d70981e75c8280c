package targets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"priorityd/kubernetes/internal/weights"
)

const mostKept = 16 << 20

// kept are the records of a scheduler that has no place for them, in a file of this host.
type kept struct {
	path    string
	records map[string]json.RawMessage
}

// readKept reads the file; a missing one is empty.
func readKept(path string) (*kept, error) {
	k := &kept{path: path, records: map[string]json.RawMessage{}}
	opened, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return k, nil
	} else if err != nil {
		return nil, err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, mostKept+1))
	if err == nil && len(text) > mostKept {
		err = fmt.Errorf("got more than %d bytes", mostKept)
	}
	if err == nil {
		err = json.Unmarshal(text, &k.records)
	}
	if err == nil && k.records == nil {
		err = errors.New("got null, want an object")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// of sets the record of a queue, or why it is not believed.
func (k *kept) of(queue, field string, s *State, now time.Time) {
	text := k.records[queue]
	if text == nil {
		return
	}
	record, err := weights.ReadRecord(string(text), []string{field}, 0, now)
	if err != nil {
		s.Problem = err.Error()
		return
	}
	s.Record = &record
}

// set writes the file with the record of a queue; nil = none.
func (k *kept) set(queue string, record *weights.Record) error {
	delete(k.records, queue)
	if record != nil {
		k.records[queue] = json.RawMessage(record.Encode())
	}
	text, err := json.MarshalIndent(k.records, "", "  ")
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(k.path), ".weights")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(append(text, '\n'))
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), k.path)
}
