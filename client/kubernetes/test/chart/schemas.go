package chart

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

//go:embed crds/*.json
var crds embed.FS

// Definitions are the CustomResourceDefinitions of the objects in the chart that are not Kubernetes' own.
func Definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := crds.ReadDir("crds")
	if err != nil {
		return nil, err
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		text, err := crds.ReadFile(path.Join("crds", file.Name()))
		if err != nil {
			return nil, err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := json.Unmarshal(text, definition); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, definition)
	}
	return all, nil
}

// Schemas validates objects without an API server.
type Schemas struct {
	kubernetes runtime.Decoder
	custom     map[schema.GroupVersionKind]*jsonschema.Schema
}

// NewSchemas reads the schemas of our definitions.
func NewSchemas() (*Schemas, error) {
	definitions, err := Definitions()
	if err != nil {
		return nil, err
	}
	all := &Schemas{kubernetes: serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer(),
		custom: map[schema.GroupVersionKind]*jsonschema.Schema{}}
	for _, definition := range definitions {
		for _, version := range definition.Spec.Versions {
			compiled, err := compile(version.Schema.OpenAPIV3Schema)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", definition.Name, err)
			}
			all.custom[schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}] = compiled
		}
	}
	return all, nil
}

// Validate returns an error if the object has an unknown field, lacks a required one, or has a value of a wrong type.
func (s *Schemas) Validate(object *unstructured.Unstructured) error {
	if custom := s.custom[object.GroupVersionKind()]; custom != nil {
		return custom.Validate(object.Object)
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	_, _, err = s.kubernetes.Decode(text, nil, nil)
	return err
}

func compile(props *apiextensionsv1.JSONSchemaProps) (*jsonschema.Schema, error) {
	text, err := json.Marshal(props)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	refuseUnknown(document)
	// The definition leaves it to Kubernetes.
	document["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("crd.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("crd.json")
}

// refuseUnknown refuses fields that a schema does not name, as the API server does of a structural schema.
func refuseUnknown(node map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	if properties != nil && node["x-kubernetes-preserve-unknown-fields"] == nil {
		node["additionalProperties"] = false
	}
	for _, property := range properties {
		refuseUnknown(property.(map[string]any))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if child, ok := node[key].(map[string]any); ok {
			refuseUnknown(child)
		}
	}
}
