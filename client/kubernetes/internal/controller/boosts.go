package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/openapi"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"priorityd/kubernetes/internal/workload"
)

// boostsEvery is the time between two looks for a changed schema of Workloads.
const boostsEvery = 10 * time.Second

// Form is how Workloads take a boost: always by the annotation, and by the field of the spec if Kueue's definition of
// Workloads has it. Which of both an installed Kueue reads, only its program knows.
type Form struct {
	Field  bool // spec.priorityBoost.value
	Scoped bool // Also spec.priorityBoost.whenCanBoostOnPreemption
}

// Names are the names of the parts of a Workload that are written.
func (f Form) Names() string {
	if f.Field {
		return "annotation " + workload.BoostAnnotation + ", field spec.priorityBoost"
	}
	return "annotation " + workload.BoostAnnotation
}

// spec is the field with a boost; nil removes it.
func (f Form) spec(by int32) *workload.PriorityBoost {
	if by == 0 {
		return nil
	}
	boost := &workload.PriorityBoost{Value: by}
	if f.Scoped {
		boost.WhenCanBoostOnPreemption = workload.WithinQueue
	}
	return boost
}

// has reports whether a Workload has a boost in each part.
func (f Form) has(r *workload.Record, by int32) bool {
	is, ok := boostOf(r)
	return ok && is == by && (!f.Field || fieldOf(r) == by)
}

func fieldOf(r *workload.Record) int32 {
	if r.Field == nil {
		return 0
	}
	return *r.Field
}

// Boosts knows the form of boosts by the API server's schema of Workloads, from the start of the controller on and
// after each upgrade of Kueue's definitions.
type Boosts struct {
	Paths func() (map[string]openapi.GroupVersion, error) // Of the API server's schemas.
	Log   logr.Logger

	mutex sync.Mutex
	form  Form
	known bool
	read  string // The address of the read schema, which changes with it.
}

// Start looks until the context ends.
func (b *Boosts) Start(ctx context.Context) error {
	return inTurns(ctx, nil, 0, boostsEvery, func(ctx context.Context) {
		if err := b.look(); err != nil && ctx.Err() == nil {
			b.Log.Info("schema of Workloads not read; retrying", "error", err.Error())
		}
	})
}

// Form is the present form; false = not known yet. A nil Boosts knows the annotation only.
func (b *Boosts) Form() (Form, bool) {
	if b == nil {
		return Form{}, true
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.form, b.known
}

func (b *Boosts) look() error {
	paths, err := b.Paths()
	if err != nil {
		return err
	}
	group := paths["apis/"+kueue.SchemeGroupVersion.String()]
	if group == nil {
		return fmt.Errorf("the API server does not serve %s", kueue.SchemeGroupVersion)
	}
	if group.ServerRelativeURL() == b.read {
		return nil
	}
	text, err := group.Schema("application/json")
	if err != nil {
		return err
	}
	form, err := formOf(text)
	if err != nil {
		return err
	}
	b.read = group.ServerRelativeURL()
	b.set(form)
	return nil
}

func (b *Boosts) set(form Form) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.known && form == b.form {
		return
	}
	b.form, b.known = form, true
	b.Log.Info("boosts are written", "as", form.Names())
	boostForms.WithLabelValues("annotation").Set(1)
	boostForms.WithLabelValues("field").Set(map[bool]float64{true: 1}[form.Field])
}

// described is the part of an OpenAPI schema that formOf reads.
type described struct {
	Kinds      []kind               `json:"x-kubernetes-group-version-kind"`
	Properties map[string]described `json:"properties"`
}

type kind struct{ Group, Version, Kind string }

// formOf is the form of boosts by an OpenAPI description of Kueue's API.
func formOf(text []byte) (Form, error) {
	var api struct {
		Components struct {
			Schemas map[string]described `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &api); err != nil {
		return Form{}, fmt.Errorf("schema of %s: %w", kueue.SchemeGroupVersion, err)
	}
	wanted := kind{kueue.SchemeGroupVersion.Group, kueue.SchemeGroupVersion.Version, "Workload"}
	for _, of := range api.Components.Schemas {
		if len(of.Kinds) != 1 || of.Kinds[0] != wanted {
			continue
		}
		boost := of.Properties["spec"].Properties["priorityBoost"].Properties
		_, field := boost["value"]
		_, scoped := boost["whenCanBoostOnPreemption"]
		return Form{Field: field, Scoped: field && scoped}, nil
	}
	return Form{}, errors.New("the API server describes no Workload of Kueue")
}
