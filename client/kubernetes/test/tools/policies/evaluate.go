// Package policies evaluates our admission policies on requests, with the API server's own code.
package policies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	arv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// expression is an expression of a policy.
type expression struct {
	name, text string
	types      []*celgo.Type
}

func (e *expression) GetName() string            { return e.name }
func (e *expression) GetExpression() string      { return e.text }
func (e *expression) ReturnTypes() []*celgo.Type { return e.types }

// policy is a compiled policy: a mutating one has patchers, a validating one validations.
type policy struct {
	name     string
	match    *arv1.MatchResources
	compiler *plugincel.CompositedCompiler
	when     plugincel.ConditionEvaluator
	patchers []patch.Patcher
	valid    plugincel.ConditionEvaluator
	messages []string
}

var options = plugincel.OptionalVariableDeclarations{HasAuthorizer: true}

// compile compiles the parts of both kinds; an error names each expression that does not compile.
func compile(name string, match *arv1.MatchResources, variables []arv1.Variable, conditions []arv1.MatchCondition) (*policy, error) {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, err
	}
	p := &policy{name: name, match: match, compiler: compiler}
	var faults []error
	for _, v := range variables {
		of := &expression{v.Name, v.Expression, []*celgo.Type{celgo.AnyType, celgo.DynType}}
		if result := compiler.CompileAndStoreVariable(of, options, environment.StoredExpressions); result.Error != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", name, v.Name, result.Error))
		}
	}
	var when []plugincel.ExpressionAccessor
	for _, c := range conditions {
		when = append(when, &expression{c.Name, c.Expression, []*celgo.Type{celgo.BoolType}})
	}
	p.when = compiler.CompileCondition(when, options, environment.StoredExpressions)
	return p, errors.Join(append(faults, p.when.CompilationErrors()...)...)
}

func mutating(text []byte) (*policy, error) {
	var from arv1.MutatingAdmissionPolicy
	if err := yaml.UnmarshalStrict(text, &from); err != nil {
		return nil, err
	}
	p, err := compile(from.Name, from.Spec.MatchConstraints, from.Spec.Variables, from.Spec.MatchConditions)
	patches := options
	patches.HasPatchTypes = true
	for _, m := range from.Spec.Mutations {
		compiled := p.compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, patches, environment.StoredExpressions)
		err = errors.Join(append([]error{err}, compiled.CompilationErrors()...)...)
		p.patchers = append(p.patchers, patch.NewJSONPatcher(compiled))
	}
	return p, err
}

func validating(text []byte) (*policy, error) {
	var from arv1.ValidatingAdmissionPolicy
	if err := yaml.UnmarshalStrict(text, &from); err != nil {
		return nil, err
	}
	p, err := compile(from.Name, from.Spec.MatchConstraints, from.Spec.Variables, from.Spec.MatchConditions)
	var all []plugincel.ExpressionAccessor
	for _, v := range from.Spec.Validations {
		all = append(all, &expression{"", v.Expression, []*celgo.Type{celgo.BoolType}})
		p.messages = append(p.messages, v.Message)
	}
	p.valid = p.compiler.CompileCondition(all, options, environment.StoredExpressions)
	return p, errors.Join(append([]error{err}, p.valid.CompilationErrors()...)...)
}

// load reads the policies of files, mutating ones first, as the API server calls them.
func load(files ...string) ([]*policy, error) {
	var mutate, validate []*policy
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(text), "\n---") {
			var kind metav1.TypeMeta
			if err := yaml.Unmarshal([]byte(part), &kind); err != nil {
				return nil, err
			}
			var p *policy
			switch kind.Kind {
			case "MutatingAdmissionPolicy":
				p, err = mutating([]byte(part))
				mutate = append(mutate, p)
			case "ValidatingAdmissionPolicy":
				p, err = validating([]byte(part))
				validate = append(validate, p)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return append(mutate, validate...), nil
}

// request is a user's request about an object.
type request struct {
	who         user.Info
	operation   admission.Operation
	resource    schema.GroupVersionResource
	kind        schema.GroupVersionKind
	subresource string
	object, old runtime.Object
}

// matches reports whether a policy applies to a request.
func (p *policy) matches(r *request) bool {
	if p.match.ObjectSelector != nil && !isQueued(r.object) && !isQueued(r.old) {
		return false
	}
	name := r.resource.Resource
	if r.subresource != "" {
		name += "/" + r.subresource
	}
	return slices.ContainsFunc(p.match.ResourceRules, func(rule arv1.NamedRuleWithOperations) bool {
		return slices.Contains(rule.Operations, arv1.OperationType(r.operation)) && slices.Contains(rule.Resources, name) && slices.Contains(rule.APIGroups, r.resource.Group)
	})
}

func isQueued(object runtime.Object) bool {
	labelled, ok := object.(metav1.Object)
	if !ok {
		return false
	}
	_, queued := labelled.GetLabels()["priorityd/queue"]
	return queued
}

// admit evaluates all policies on a request; it returns the resulting object, or the reason of a refusal.
func admit(policies []*policy, r request) (runtime.Object, error) {
	for _, p := range policies {
		if !p.matches(&r) {
			continue
		}
		r.object.GetObjectKind().SetGroupVersionKind(r.kind)
		if err := p.look(&r); err != nil {
			return nil, err
		}
	}
	return r.object, nil
}

func (p *policy) look(r *request) error {
	attributes := &admission.VersionedAttributes{VersionedKind: r.kind, VersionedObject: r.object, VersionedOldObject: r.old,
		Attributes: admission.NewAttributesRecord(r.object, r.old, r.kind, "n", "x", r.resource, r.subresource, r.operation, nil, false, r.who)}
	asked := plugincel.CreateAdmissionRequest(attributes.Attributes, metav1.GroupVersionResource(r.resource), metav1.GroupVersionKind(r.kind))
	ctx := p.compiler.CreateContext(context.Background())
	results, _, err := p.when.ForInput(ctx, attributes, asked, plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Error != nil || result.EvalResult.Value() != true {
			return result.Error
		}
	}
	for _, patcher := range p.patchers {
		r.object, err = patcher.Patch(ctx, patch.Request{MatchedResource: r.resource, VersionedAttributes: attributes,
			ObjectInterfaces: admission.NewObjectInterfacesFromScheme(scheme.Scheme)}, celconfig.RuntimeCELCostBudget)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if p.valid == nil {
		return nil
	}
	results, _, err = p.valid.ForInput(ctx, attributes, asked, plugincel.OptionalVariableBindings{}, nil, celconfig.RuntimeCELCostBudget)
	for i, result := range results {
		if result.Error != nil {
			return fmt.Errorf("%s: %w", p.name, result.Error)
		}
		if result.EvalResult.Value() != true {
			return errors.New(p.messages[i])
		}
	}
	return err
}
