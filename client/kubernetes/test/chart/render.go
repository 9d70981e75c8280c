// Package chart renders our Helm chart by Helm's own code.
package chart

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Newest is the version of Kubernetes that we test with.
const Newest = "v1.36.3"

// Render returns the objects of the chart in a folder, with these values over its own, released into a namespace.
func Render(folder, namespace string, changed map[string]any) ([]*unstructured.Unstructured, error) {
	return RenderFor(Newest, folder, namespace, changed)
}

// RenderFor is Render for a Kubernetes of another version.
func RenderFor(version, folder, namespace string, changed map[string]any) ([]*unstructured.Unstructured, error) {
	files, err := renderFiles(version, folder, namespace, changed)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		more, err := Read(files[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

// Notes are what `helm install` prints.
func Notes(folder, namespace string, changed map[string]any) (string, error) {
	files, err := renderFiles(Newest, folder, namespace, changed)
	for name, text := range files {
		if filepath.Base(name) == "NOTES.txt" {
			return text, err
		}
	}
	return "", err
}

func renderFiles(version, folder, namespace string, changed map[string]any) (map[string]string, error) {
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	kubernetes := chartutil.DefaultCapabilities.Copy()
	kubernetes.KubeVersion = chartutil.KubeVersion{Version: version}
	release := chartutil.ReleaseOptions{Name: "priorityd", Namespace: namespace, Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(loaded, changed, release, kubernetes)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(loaded, values)
}

// Read returns the objects of a YAML text.
func Read(text string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, part := range strings.Split("\n"+text, "\n---") {
		object := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(part), &object.Object); err != nil {
			return nil, fmt.Errorf("%w in:\n%s", err, part)
		}
		if object.GetKind() != "" {
			objects = append(objects, object)
		}
	}
	return objects, nil
}
