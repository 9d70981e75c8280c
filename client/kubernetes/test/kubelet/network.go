// Package kubelet plays the kubelet's part for one Pod at a time: its volumes as files, its environment, its arguments, a
// network of its own, a root that cannot be written, its user, its probes. It needs root and Linux namespaces.
package kubelet

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
)

// Network is a bridge of this host with the addresses 10.211.N.0/24; Pods on it reach each other and the host.
type Network struct {
	bridge string
	prefix string
	pods   atomic.Int32
}

const networks = 250

// NewNetwork makes the bridge, with the first N that no other process has, nor has left. The caller must Close it.
func NewNetwork() (*Network, error) {
	var err error
	for attempt := range networks {
		number := (os.Getpid() + attempt) % networks
		n := &Network{bridge: fmt.Sprintf("prd%d", number), prefix: fmt.Sprintf("10.211.%d.", number)}
		if err = ip("link add " + n.bridge + " type bridge"); err != nil {
			continue
		}
		if err = ip("addr add "+n.Host()+"/24 dev "+n.bridge, "link set "+n.bridge+" up"); err != nil {
			n.Close()
			return nil, err
		}
		return n, nil
	}
	return nil, err
}

// Host is this host's address on the bridge.
func (n *Network) Host() string { return n.prefix + "1" }

// Close removes the bridge.
func (n *Network) Close() { ip("link del " + n.bridge) } //nolint:errcheck // It may not have been made.

// namespace is the network namespace of a Pod.
type namespace struct{ name, address string }

// add makes the network namespace of another Pod. Thread-safe.
func (n *Network) add() (*namespace, error) {
	number := n.pods.Add(1)
	pod := &namespace{name: fmt.Sprintf("%s-%d", n.bridge, number), address: fmt.Sprintf("%s%d", n.prefix, 1+number)}
	pod.remove() // A killed process may have left one of this name.
	link := fmt.Sprintf("%sp%d", n.bridge, number)
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
