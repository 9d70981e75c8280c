package targets

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kube "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// kai is a queue of KAI with weights of some resources.
func kai(t *testing.T, weights map[string]any) (*Objects, func() map[string]any, func(map[string]any)) {
	t.Helper()
	kind := Kinds["kai-queue"]
	version := schema.GroupVersion{Group: kind.Group, Version: "v2"}
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"resources": weights}}}
	object.SetGroupVersionKind(version.WithKind(kind.Kind))
	object.SetName("chem")
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	mapper.Add(object.GroupVersionKind(), meta.RESTScopeRoot)
	client := fake.NewClientBuilder().WithRESTMapper(mapper).WithObjects(object).Build()
	resources := func() map[string]any {
		must(t, client.Get(t.Context(), kube.ObjectKeyFromObject(object), object))
		found, _, err := unstructured.NestedMap(object.Object, "spec", "resources")
		must(t, err)
		return found
	}
	change := func(to map[string]any) {
		resources()
		must(t, unstructured.SetNestedMap(object.Object, to, "spec", "resources"))
		must(t, client.Update(t.Context(), object))
	}
	return &Objects{Kind: kind, Client: client}, resources, change
}

func weighing(weight float64) map[string]any { return map[string]any{"overQuotaWeight": weight} }

func TestAResourceThatAQueueGetsBetweenTwoChangesIsRestoredToo(t *testing.T) {
	o, resources, change := kai(t, map[string]any{"gpu": weighing(2)})
	write(t, o, "chem", 5)
	change(map[string]any{"gpu": weighing(5), "cpu": weighing(3)})
	must(t, o.Restore(t.Context(), "chem", write(t, o, "chem", 7), false))
	if got, want := resources(), (map[string]any{"gpu": weighing(2), "cpu": weighing(3)}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAResourceThatAQueueHasNoMoreIsNotRestored(t *testing.T) {
	o, resources, change := kai(t, map[string]any{"gpu": weighing(2), "cpu": weighing(3)})
	write(t, o, "chem", 5)
	change(map[string]any{"gpu": weighing(5)})
	states, err := o.Read(t.Context(), []string{"chem"}, now)
	must(t, err)
	must(t, o.Restore(t.Context(), "chem", states["chem"], false))
	if got, want := resources(), (map[string]any{"gpu": weighing(2)}); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
