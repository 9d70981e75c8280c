// Package kubelet plays the kubelet's part for one Pod at a time: its volumes as files, its environment, its arguments, a
// network of its own, a root that cannot be written, its user, its probes. It needs root and Linux namespaces.
package kubelet

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Network is a bridge of this host with the addresses 10.211.N.0/24; Pods on it reach each other and the host.
type Network struct {
	bridge string
	prefix string
	pods   int
}

// NewNetwork makes the bridge; N follows from the process. The caller must Close it.
func NewNetwork() (*Network, error) {
	number := os.Getpid() % 250
	n := &Network{bridge: fmt.Sprintf("prd%d", number), prefix: fmt.Sprintf("10.211.%d.", number)}
	err := ip("link add "+n.bridge+" type bridge", "addr add "+n.Host()+"/24 dev "+n.bridge, "link set "+n.bridge+" up")
	if err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// Host is this host's address on the bridge.
func (n *Network) Host() string { return n.prefix + "1" }

// Close removes the bridge.
func (n *Network) Close() { ip("link del " + n.bridge) } //nolint:errcheck // It may not have been made.

// namespace is the network namespace of a Pod.
type namespace struct{ name, address string }

// add makes the network namespace of another Pod.
func (n *Network) add() (*namespace, error) {
	n.pods++
	pod := &namespace{name: fmt.Sprintf("%s-%d", n.bridge, n.pods), address: fmt.Sprintf("%s%d", n.prefix, 1+n.pods)}
	link := fmt.Sprintf("%sp%d", n.bridge, n.pods)
	err := ip("netns add "+pod.name, "link add "+link+" type veth peer name eth0 netns "+pod.name,
		"link set "+link+" master "+n.bridge, "link set "+link+" up",
		"-n "+pod.name+" addr add "+pod.address+"/24 dev eth0", "-n "+pod.name+" link set eth0 up", "-n "+pod.name+" link set lo up")
	if err != nil {
		pod.remove()
		return nil, err
	}
	return pod, nil
}

func (p *namespace) remove() { ip("netns del " + p.name) } //nolint:errcheck // It may not have been made.

// ip runs commands of ip(8) until one fails.
func ip(commands ...string) error {
	for _, command := range commands {
		if output, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", command, err, output)
		}
	}
	return nil
}
