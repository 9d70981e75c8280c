package kubelet

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Stored are objects by name, without an API server.
type Stored map[string]map[string][]byte

// Secret is a stored object.
func (s Stored) Secret(name string) (map[string][]byte, error) {
	if data, ok := s[name]; ok {
		return data, nil
	}
	return nil, fmt.Errorf("there is no %s", name)
}

// ConfigMap is a stored object.
func (s Stored) ConfigMap(name string) (map[string][]byte, error) { return s.Secret(name) }

// Token is an error: only an API server signs tokens.
func (s Stored) Token(*corev1.Pod, string) ([]byte, error) {
	return nil, fmt.Errorf("token: got no API server, want one")
}
