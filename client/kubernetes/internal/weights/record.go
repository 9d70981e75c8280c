package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mostRecord is the largest size of a record in bytes.
const mostRecord = 4096

// mostExponent is the largest length of the exponent of a quantity: e+12.
const mostExponent = 4

// Record is kept with each written queue: what it had before the first change, and the time of the last one.
type Record struct {
	// Former are the values before the first change by the path of the field; nil = there was none. The path of an
	// absent field is that of the highest absent part above it.
	Former  map[string]any `json:"former"`
	Written time.Time      `json:"written"`
}

// Encode is the record as JSON.
func (r Record) Encode() string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return string(text)
}

// ReadRecord reads a record that others may have changed: its paths must be those of `fields` or lead to them, its values
// must be numbers or quantities that are not negative, or numbers from `lowest` on, and its time must have passed.
func ReadRecord(text string, fields []string, lowest float64, now time.Time) (Record, error) {
	var r Record
	if len(text) > mostRecord {
		return r, fmt.Errorf("record: got %d bytes, want at most %d", len(text), mostRecord)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return r, fmt.Errorf("record: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("record: got more than one JSON value")
	}
	if r.Written.IsZero() || r.Written.After(now) {
		return r, fmt.Errorf("record.written: got %s, want a time that has passed", r.Written.Format(time.RFC3339))
	}
	if len(r.Former) == 0 {
		return r, errors.New("record.former: got none, want the former values")
	}
	for path, value := range r.Former {
		if err := checkFormer(path, value, fields, lowest); err != nil {
			return r, fmt.Errorf("record.former: %w", err)
		}
	}
	return r, nil
}

func checkFormer(path string, value any, fields []string, lowest float64) error {
	whole, part := false, false
	for _, field := range fields {
		whole = whole || field == path
		part = part || path != "spec" && strings.HasPrefix(field, path+".")
	}
	if !whole && !part {
		return fmt.Errorf("got the path %q, want one of %q", path, fields)
	}
	if value == nil {
		return nil
	}
	if number, err := Number(value); err != nil || !whole || !(number >= lowest) {
		return fmt.Errorf("%s: got %.40q, want a number from %v on", path, fmt.Sprint(value), lowest)
	}
	return nil
}

// Number is the number that a value of a field is: a number, or a quantity of Kubernetes.
func Number(value any) (float64, error) {
	number := math.NaN()
	switch v := value.(type) {
	case float64:
		number = v
	case int64:
		number = float64(v)
	case string:
		// A long exponent takes minutes to compute.
		if exponent := strings.IndexAny(v, "eE"); len(v) > 64 || exponent >= 0 && len(v)-exponent > mostExponent {
			return 0, fmt.Errorf("got %.64q, want a number of at most 64 characters, with an exponent of at most two digits", v)
		}
		quantity, err := resource.ParseQuantity(v)
		if err != nil {
			return 0, fmt.Errorf("got %q, want a number", v)
		}
		number = quantity.AsFloat64Slow()
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, fmt.Errorf("got %.40q, want a number", fmt.Sprint(value))
	}
	return number, nil
}
