package kubelet

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
)

//go:embed container.sh
var script string

// Node runs Pods.
type Node struct {
	Network *Network
	Objects Objects
	// Programs are the entrypoints of images by their names without registry and version; they need only /usr.
	Programs map[string]string
	// Hosts are addresses by names: what the cluster's DNS and Services do.
	Hosts map[string]string
	// Environment is what every container gets, such as KUBERNETES_SERVICE_HOST.
	Environment []string
}

// Container is the running container of a Pod.
type Container struct {
	Address string // The Pod's.
	Pod     *corev1.Pod

	node    *Node
	folder  string
	network *namespace
	memory  memoryGroup
	command *exec.Cmd
	ended   chan struct{}
}

// Run starts the only container of a Pod. The caller must Remove it.
func (n *Node) Run(pod *corev1.Pod) (*Container, error) {
	name, _, _ := strings.Cut(path.Base(pod.Spec.Containers[0].Image), ":")
	program := n.Programs[name]
	if program == "" {
		return nil, fmt.Errorf("image: got %s, want one of %v", pod.Spec.Containers[0].Image, n.Programs)
	}
	folder, err := os.MkdirTemp("", "pod")
	if err != nil {
		return nil, err
	}
	c := &Container{Pod: pod, node: n, folder: folder, ended: make(chan struct{})}
	if err := errors.Join(os.Chmod(folder, 0o755), c.Refresh()); err != nil {
		c.Remove()
		return nil, err
	}
	if c.network, err = n.Network.add(); err != nil {
		c.Remove()
		return nil, err
	}
	c.Address = c.network.address
	if err := c.start(program); err != nil {
		c.Remove()
		return nil, err
	}
	return c, nil
}

func (c *Container) container() corev1.Container { return c.Pod.Spec.Containers[0] }

func (c *Container) volume(name string) string { return filepath.Join(c.folder, "volumes", name) }

// Refresh writes the newest content of what the volumes have, as the kubelet does once a minute.
func (c *Container) Refresh() error {
	for _, volume := range c.Pod.Spec.Volumes {
		files, err := filesOf(c.node.Objects, c.Pod, volume)
		if err != nil {
			return fmt.Errorf("volume %s: %w", volume.Name, err)
		}
		if err := os.MkdirAll(c.volume(volume.Name), 0o755); err != nil {
			return err
		}
		if err := write(c.volume(volume.Name), files, int(*c.Pod.Spec.SecurityContext.FSGroup)); err != nil {
			return err
		}
	}
	return nil
}

// root makes the folder that becomes the container's root: mount points, and links into /usr.
func (c *Container) root() (string, error) {
	root := filepath.Join(c.folder, "root")
	folders := []string{"proc", "usr", "dev", "etc"}
	for _, mount := range c.container().VolumeMounts {
		folders = append(folders, mount.MountPath)
	}
	for _, name := range folders {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return "", err
		}
	}
	hosts := "127.0.0.1 localhost\n"
	for name, address := range c.node.Hosts {
		hosts += address + " " + name + "\n"
	}
	for name, text := range map[string]string{"dev/null": "", "dev/urandom": "", "entrypoint": "", "etc/hosts": hosts} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"lib", "lib64", "bin"} {
		if err := os.Symlink("usr/"+name, filepath.Join(root, name)); err != nil {
			return "", err
		}
	}
	return root, nil
}

func (c *Container) environment() ([]string, error) {
	all := append([]string{"PATH=/usr/bin", "HOSTNAME=" + c.Pod.Name}, c.node.Environment...)
	for _, variable := range c.container().Env {
		value := variable.Value
		if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
			data, err := c.node.Objects.Secret(from.SecretKeyRef.Name)
			if err != nil {
				return nil, err
			}
			content, ok := data[from.SecretKeyRef.Key]
			if !ok {
				return nil, fmt.Errorf("env %s: the Secret %s has no key %s", variable.Name, from.SecretKeyRef.Name, from.SecretKeyRef.Key)
			}
			value = string(content)
		} else if from != nil {
			return nil, fmt.Errorf("env %s: got %+v, want a key of a Secret", variable.Name, from)
		}
		all = append(all, variable.Name+"="+value)
	}
	return all, nil
}

func (c *Container) start(program string) error {
	root, err := c.root()
	if err != nil {
		return err
	}
	environment, err := c.environment()
	if err != nil {
		return err
	}
	arguments := []string{"netns", "exec", c.network.name, "unshare", "--mount", "sh", "-c", script, "sh"}
	for _, mount := range c.container().VolumeMounts {
		access := map[bool]string{true: "ro", false: "rw"}[mount.ReadOnly]
		arguments = append(arguments, c.volume(mount.Name), mount.MountPath, access)
	}
	arguments = append(append(append(arguments, "--"), environment...), "/entrypoint")
	arguments = append(arguments, c.container().Args...)
	limit := c.container().Resources.Limits[corev1.ResourceMemory]
	c.memory = newMemoryGroup(c.network.name, limit.Value())
	of := c.Pod.Spec.SecurityContext
	log, err := os.Create(filepath.Join(c.folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	c.command = exec.Command("ip", arguments...)
	c.command.Stdout, c.command.Stderr = log, log
	c.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.command.Env = append(os.Environ(), "ROOT="+root, "PROGRAM="+program, fmt.Sprintf("USER_ID=%d", *of.RunAsUser),
		fmt.Sprintf("GROUP_ID=%d", *of.RunAsGroup), fmt.Sprintf("GROUPS_LIST=%d", *of.FSGroup))
	if err := c.command.Start(); err != nil {
		return err
	}
	go func() {
		c.command.Wait() //nolint:errcheck // Ended reads its state.
		close(c.ended)
	}()
	return c.memory.take(c.PID())
}

// PID is the process of the container.
func (c *Container) PID() int { return c.command.Process.Pid }

// Log is what it has printed.
func (c *Container) Log() string {
	text, _ := os.ReadFile(filepath.Join(c.folder, "log"))
	return string(text)
}

// Ended is an error with the exit code and the log if the container has ended.
func (c *Container) Ended() error {
	select {
	case <-c.ended:
		return fmt.Errorf("exit code %d: %s", c.command.ProcessState.ExitCode(), strings.TrimSpace(c.Log()))
	default:
		return nil
	}
}

// Stop sends SIGTERM, waits for terminationGracePeriodSeconds and kills; it returns the exit code.
func (c *Container) Stop() int {
	c.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.ended:
	case <-time.After(time.Duration(*c.Pod.Spec.TerminationGracePeriodSeconds) * time.Second):
		c.command.Process.Kill()
		<-c.ended
	}
	return c.command.ProcessState.ExitCode()
}

// Remove kills it and removes its files.
func (c *Container) Remove() {
	if c.command != nil && c.command.Process != nil {
		c.command.Process.Kill()
		<-c.ended
	}
	if c.network != nil {
		c.memory.remove()
		c.network.remove()
	}
	os.RemoveAll(c.folder)
}
