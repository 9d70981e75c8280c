package targets

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	kube "sigs.k8s.io/controller-runtime/pkg/client"

	"priorityd/kubernetes/internal/weights"
)

// Kind is a cluster-scoped kind of object with a field for weights.
type Kind struct {
	schema.GroupKind
	Paths    []string // Of the fields, with points; all get the same value.
	Default  float64  // The value of an absent field.
	Quantity bool     // The field is a quantity of Kubernetes.
	Floats   bool     // The field is a number with a fraction.
	// Present writes only those fields whose parent exists: an absent one means something else than an empty one.
	Present bool
	Scale   weights.Scale
}

// Kinds are the kinds by the names of the configuration.
var Kinds = map[string]Kind{
	"kueue-clusterqueue": {GroupKind: schema.GroupKind{Group: "kueue.x-k8s.io", Kind: "ClusterQueue"}, Paths: []string{"spec.fairSharing.weight"},
		Default: 1, Quantity: true, Scale: weights.Scale{Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6}},
	"kueue-cohort": {GroupKind: schema.GroupKind{Group: "kueue.x-k8s.io", Kind: "Cohort"}, Paths: []string{"spec.fairSharing.weight"},
		Default: 1, Quantity: true, Scale: weights.Scale{Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6}},
	"kai-queue": {GroupKind: schema.GroupKind{Group: "scheduling.run.ai", Kind: "Queue"}, Paths: []string{"spec.resources.gpu.overQuotaWeight",
		"spec.resources.cpu.overQuotaWeight", "spec.resources.memory.overQuotaWeight"},
		Default: 0, Floats: true, Present: true, Scale: weights.Scale{Factor: 1, Digits: 3, Lowest: 0.001, Limit: 1e6}},
	"kai-priority": {GroupKind: schema.GroupKind{Group: "scheduling.run.ai", Kind: "Queue"}, Paths: []string{"spec.priority"},
		Default: 100, Scale: weights.Scale{Kind: weights.Logarithmic, Factor: 10, Zero: 100, Limit: 1e6}},
	"volcano-queue": {GroupKind: schema.GroupKind{Group: "scheduling.volcano.sh", Kind: "Queue"}, Paths: []string{"spec.weight"},
		Default: 1, Scale: weights.Scale{Factor: 100, Lowest: 1, Limit: 65535}},
}

// Objects are objects of a Kind.
type Objects struct {
	Kind     Kind
	Client   kube.Client
	Recorder events.EventRecorder // nil = no Events.

	read map[string]*unstructured.Unstructured
}

// Field names the kind and its fields.
func (o *Objects) Field() string {
	first, rest := o.Kind.Paths[0], len(o.Kind.Paths)-1
	if rest > 0 {
		return fmt.Sprintf("%s %s and %d more", o.Kind.Kind, first, rest)
	}
	return o.Kind.Kind + " " + first
}

// Scale is that of the field.
func (o *Objects) Scale() weights.Scale { return o.Kind.Scale }

// Read reads the objects of these names.
func (o *Objects) Read(ctx context.Context, queues []string, now time.Time) (map[string]State, error) {
	mapping, err := o.Client.RESTMapper().RESTMapping(o.Kind.GroupKind)
	if err != nil {
		return nil, err
	}
	if o.read == nil {
		o.read = map[string]*unstructured.Unstructured{}
	}
	states := map[string]State{}
	for _, queue := range queues {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(mapping.GroupVersionKind)
		if err := o.Client.Get(ctx, types.NamespacedName{Name: queue}, object); apierrors.IsNotFound(err) {
			delete(o.read, queue)
			states[queue] = State{Missing: true}
			continue
		} else if err != nil {
			return nil, err
		}
		o.read[queue] = object
		if states[queue], err = o.state(object, now); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// state is that of an object; an error if another target has written it: its fields would be removed, and what they had
// before would be lost.
func (o *Objects) state(object *unstructured.Unstructured, now time.Time) (State, error) {
	s := State{Value: o.Kind.Default}
	for _, path := range o.Kind.Paths {
		if value, found := at(object, path); found {
			if number, err := weights.Number(value); err == nil {
				s.Value = number
			}
			break
		}
	}
	text, found := object.GetAnnotations()[Annotation]
	if !found {
		return s, nil
	}
	record, err := o.Kind.record(text, now)
	if err == nil {
		s.Record = &record
		return s, nil
	}
	for name, other := range Kinds {
		if _, err := other.record(text, now); err == nil && other.GroupKind == o.Kind.GroupKind {
			return s, fmt.Errorf("%s %q: got a weight of the target %s, want it undone first", o.Kind.Kind, object.GetName(), name)
		}
	}
	s.Problem = err.Error()
	return s, nil
}

// record is the record in an annotation.
func (k *Kind) record(text string, now time.Time) (weights.Record, error) {
	return weights.ReadRecord(text, k.Paths, k.lowest(), now)
}

// lowest is the lowest value that a field may have had before: priorities may be negative.
func (k *Kind) lowest() float64 {
	if k.Scale.Kind == weights.Logarithmic {
		return math.MinInt32
	}
	return 0
}

// Write applies the fields and the record, and nothing else, under the field manager of the program.
func (o *Objects) Write(ctx context.Context, change Change, now time.Time, dry bool) error {
	object := o.read[change.Queue]
	paths := o.written(object)
	if len(paths) == 0 {
		return fmt.Errorf("%s %q: got no resources in spec, want at least one, whose weight can be set", o.Kind.Kind, change.Queue)
	}
	former := map[string]any{}
	apply := o.empty(object)
	for _, path := range paths {
		where, value := highestAbsent(object, path)
		former[where] = value
		if err := unstructured.SetNestedField(apply.Object, o.value(change.To), strings.Split(path, ".")...); err != nil {
			return err
		}
	}
	record := next(change.State, former, now)
	apply.SetAnnotations(map[string]string{Annotation: record.Encode()})
	options := []kube.ApplyOption{kube.FieldOwner(Manager), kube.ForceOwnership}
	if dry {
		options = append(options, kube.DryRunAll)
	}
	if err := o.Client.Apply(ctx, kube.ApplyConfigurationFromUnstructured(apply), options...); err != nil {
		return err
	}
	o.event(object, corev1.EventTypeNormal, "WeightChanged", change.Reason, dry)
	return nil
}

// empty is the object without content. Its version and UID refuse a write of an object that has changed, or that is
// another one of the same name.
func (o *Objects) empty(object *unstructured.Unstructured) *unstructured.Unstructured {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(object.GroupVersionKind())
	empty.SetName(object.GetName())
	empty.SetUID(object.GetUID())
	empty.SetResourceVersion(object.GetResourceVersion())
	return empty
}

func (o *Objects) written(object *unstructured.Unstructured) []string {
	var paths []string
	for _, path := range o.Kind.Paths {
		if _, found := at(object, path[:strings.LastIndex(path, ".")]); found || !o.Kind.Present {
			paths = append(paths, path)
		}
	}
	return paths
}

// value is a number as the field has it.
func (o *Objects) value(to float64) any {
	switch {
	case o.Kind.Quantity:
		return resource.NewMilliQuantity(int64(math.Round(to*1000)), resource.DecimalSI).String()
	case o.Kind.Floats:
		return to
	}
	return int64(to)
}

// Restore puts the former values back; a field that was absent is removed, and one whose parent is gone stays away.
func (o *Objects) Restore(ctx context.Context, queue string, state State, dry bool) error {
	object := o.read[queue]
	restored := object.DeepCopy()
	annotations := restored.GetAnnotations()
	delete(annotations, Annotation)
	restored.SetAnnotations(annotations)
	for path, value := range state.Record.Former {
		fields := strings.Split(path, ".")
		if _, there := at(restored, path[:strings.LastIndex(path, ".")]); value == nil {
			unstructured.RemoveNestedField(restored.Object, fields...)
		} else if o.Kind.Present && !there {
			continue
		} else if err := unstructured.SetNestedField(restored.Object, value, fields...); err != nil {
			return err
		}
	}
	options := []kube.PatchOption{kube.FieldOwner(Manager)}
	if dry {
		options = append(options, kube.DryRunAll)
	}
	patch := kube.MergeFromWithOptions(object, kube.MergeFromWithOptimisticLock{})
	if err := o.Client.Patch(ctx, restored, patch, options...); err != nil {
		return err
	}
	o.event(object, corev1.EventTypeNormal, "WeightRestored", "the value before the first change is restored", dry)
	return nil
}

func (o *Objects) event(object *unstructured.Unstructured, kind, reason, text string, dry bool) {
	if o.Recorder != nil && !dry {
		o.Recorder.Eventf(object, nil, kind, reason, "Weigh", "%s", text)
	}
}

// Warn writes an Event about a queue that was read.
func (o *Objects) Warn(queue, reason, text string) {
	if object := o.read[queue]; object != nil {
		o.event(object, corev1.EventTypeWarning, reason, text, false)
	}
}

func at(object *unstructured.Unstructured, path string) (any, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(object.Object, strings.Split(path, ".")...)
	return value, found && err == nil && value != nil
}

// highestAbsent is the path of a field with its value, or, if it is absent, that of its highest absent part with nil.
func highestAbsent(object *unstructured.Unstructured, path string) (string, any) {
	fields := strings.Split(path, ".")
	// `spec` itself is required.
	for i := 2; i < len(fields); i++ {
		part := strings.Join(fields[:i], ".")
		if _, found := at(object, part); !found {
			return part, nil
		}
	}
	value, _ := at(object, path)
	return path, value
}
