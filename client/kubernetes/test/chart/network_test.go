package chart

import (
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// admits reports whether the policy lets peers with these labels of a Pod, its namespace, or this address, reach a port.
func admits(t *testing.T, policy networkingv1.NetworkPolicy, port int, pod, namespace labels.Set, cidr string) bool {
	t.Helper()
	matches := func(selector *metav1.LabelSelector, of labels.Set) bool {
		parsed, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Matches(of)
	}
	for _, rule := range policy.Spec.Ingress {
		if !slices.ContainsFunc(rule.Ports, func(of networkingv1.NetworkPolicyPort) bool { return of.Port.IntValue() == port }) {
			continue
		}
		if len(rule.From) == 0 {
			return true
		}
		for _, peer := range rule.From {
			if peer.IPBlock != nil && peer.IPBlock.CIDR == cidr {
				return true
			}
			own := namespace["kubernetes.io/metadata.name"] == "space"
			if peer.IPBlock == nil && pod != nil && (peer.PodSelector == nil || matches(peer.PodSelector, pod)) &&
				(peer.NamespaceSelector == nil && own || peer.NamespaceSelector != nil && matches(peer.NamespaceSelector, namespace)) {
				return true
			}
		}
	}
	return false
}

func TestTheNetworkPolicyAdmitsTheControllerAndWhoIsNamed(t *testing.T) {
	space := labels.Set{"kubernetes.io/metadata.name": "space"}
	monitoring := labels.Set{"kubernetes.io/metadata.name": "monitoring"}
	controller := labels.Set{"app.kubernetes.io/name": "priorityd-kubernetes"}
	other := labels.Set{"app.kubernetes.io/name": "other"}
	for name, want := range map[string]struct{ controller, other, monitored, monitoredGRPC, address bool }{
		"open": {controller: true, monitored: true}, "secured": {controller: true, monitored: true}, "whole": {controller: true, address: true},
	} {
		policy, ok := typed[networkingv1.NetworkPolicy](t, render(t, Sets[name]), "NetworkPolicy priorityd")
		got := want
		got.controller = admits(t, policy, 7411, controller, space, "")
		got.other = admits(t, policy, 7411, other, space, "") || admits(t, policy, 7412, other, space, "") || admits(t, policy, 7411, controller, monitoring, "")
		got.monitored = admits(t, policy, 7412, other, monitoring, "")
		got.monitoredGRPC = admits(t, policy, 7411, other, monitoring, "")
		got.address = admits(t, policy, 7411, nil, nil, "10.1.0.0/16")
		if !ok || got != want || !reflect.DeepEqual(policy.Spec.PolicyTypes, []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		deployment, _ := typed[appsv1.Deployment](t, render(t, Sets[name]), "Deployment priorityd")
		if !selects(t, &policy.Spec.PodSelector, deployment) {
			t.Errorf("%s: it is of other Pods", name)
		}
	}
}
