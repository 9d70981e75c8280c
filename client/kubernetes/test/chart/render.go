// Package chart renders our Helm chart with the few functions that its templates use.
package chart

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// files are the files for .Files.Get.
type files string

// Get is a file of the chart.
func (f files) Get(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(string(f), name))
	return string(text), err
}

var functions = template.FuncMap{
	"quote": func(value any) string { return strconv.Quote(fmt.Sprint(value)) },
	"default": func(otherwise, value any) any {
		if value == nil || value == "" {
			return otherwise
		}
		return value
	},
	"toYaml": func(value any) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSpace(string(text)), err
	},
	"nindent": func(count int, text string) string {
		indent := "\n" + strings.Repeat(" ", count)
		return indent + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", indent)
	},
}

// Render returns the objects of the chart in a folder, with these values instead of its own, released into a namespace.
func Render(folder, namespace string, changed map[string]any) ([]*unstructured.Unstructured, error) {
	values := map[string]any{}
	text, err := os.ReadFile(filepath.Join(folder, "values.yaml"))
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	merge(values, changed)
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, name := range names {
		more, err := renderFile(name, map[string]any{"Values": values, "Release": map[string]any{"Namespace": namespace}, "Files": files(folder)})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

func merge(into, from map[string]any) {
	for key, value := range from {
		inner, ok := value.(map[string]any)
		if there, also := into[key].(map[string]any); ok && also {
			merged := maps.Clone(there)
			merge(merged, inner)
			value = merged
		}
		into[key] = value
	}
}

func renderFile(name string, data any) ([]*unstructured.Unstructured, error) {
	parsed, err := template.New(filepath.Base(name)).Funcs(functions).Option("missingkey=error").ParseFiles(name)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, data); err != nil {
		return nil, err
	}
	return Read(text.String())
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
