package kubelet

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryGroup is the cgroup that limits a container's memory, version 1 or 2; empty = the container has no limit.
type memoryGroup struct{ folder, limit, peak string }

// groups are where cgroups may be made, and their files.
var groups = []memoryGroup{
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
	{"/sys/fs/cgroup", "memory.max", "memory.peak"},
}

// newMemoryGroup makes the group of a container. It is empty for 0 bytes, and where this process must not make cgroups.
func newMemoryGroup(name string, bytes int64) memoryGroup {
	for _, group := range groups {
		group.folder = filepath.Join(group.folder, name)
		if bytes == 0 || os.Mkdir(group.folder, 0o755) != nil {
			continue
		}
		if os.WriteFile(filepath.Join(group.folder, group.limit), []byte(strconv.FormatInt(bytes, 10)), 0) == nil {
			return group
		}
		group.remove()
	}
	return memoryGroup{}
}

// take puts a process into the group.
func (g memoryGroup) take(pid int) error {
	if g.folder == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(g.folder, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

func (g memoryGroup) remove() { os.Remove(g.folder) }

// MemoryPeak is the most memory that the container has had, in bytes; an error if its memory is not limited.
func (c *Container) MemoryPeak() (int64, error) {
	text, err := os.ReadFile(filepath.Join(c.memory.folder, c.memory.peak))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}
