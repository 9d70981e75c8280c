// Package weights tests priorityd-weights on a real control plane.
package weights

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"priorityd/kubernetes/test/chart"
)

// numbers is the schema of an object whose members are numbers of a type.
func numbers(kind string, names ...string) map[string]any {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = map[string]any{"type": kind}
	}
	return map[string]any{"type": "object", "properties": properties}
}

// definition is a CustomResourceDefinition of cluster-scoped Queues with the fields of spec. It has the group, version and the
// types of the fields of the published one, and of them only those that a weight is beside.
func definition(group, version string, fields map[string]any) *unstructured.Unstructured {
	schema := map[string]any{"type": "object", "properties": map[string]any{
		"spec":   map[string]any{"type": "object", "properties": fields},
		"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "queues." + group},
		"spec": map[string]any{"group": group, "scope": "Cluster",
			"names": map[string]any{"kind": "Queue", "listKind": "QueueList", "plural": "queues", "singular": "queue"},
			"versions": []any{map[string]any{"name": version, "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": schema}, "subresources": map[string]any{"status": map[string]any{}}}}}}}
}

// definitions are those of KAI (scheduling.run.ai_queues.yaml of March 2026) and Volcano (scheduling.volcano.sh_queues.yaml of
// August 2026), reduced; or the published files themselves, if PRIORITYD_QUEUE_CRDS is a folder that has them.
func definitions() ([]*unstructured.Unstructured, error) {
	if folder := os.Getenv("PRIORITYD_QUEUE_CRDS"); folder != "" {
		return published(folder)
	}
	resources := map[string]any{}
	for _, name := range []string{"cpu", "gpu", "memory"} {
		resources[name] = numbers("number", "quota", "limit", "overQuotaWeight")
	}
	kai := numbers("integer", "priority")["properties"].(map[string]any)
	kai["parentQueue"] = map[string]any{"type": "string"}
	kai["resources"] = map[string]any{"type": "object", "properties": resources}
	priority := map[string]any{"type": "integer", "format": "int32", "minimum": 0.}
	weight := map[string]any{"type": "integer", "format": "int32", "default": int64(1), "minimum": 1., "maximum": 65535.}
	volcano := map[string]any{"weight": weight, "priority": priority, "reclaimable": map[string]any{"type": "boolean"},
		"parent": map[string]any{"type": "string"}}
	return []*unstructured.Unstructured{definition("scheduling.run.ai", "v2", kai), definition("scheduling.volcano.sh", "v1beta1", volcano)}, nil
}

func published(folder string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("PRIORITYD_QUEUE_CRDS: got %q without *.yaml, want the definitions: %w", folder, err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := chart.Read(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}
