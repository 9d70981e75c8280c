package kubelet

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Objects are what a Pod refers to.
type Objects interface {
	Secret(name string) (map[string][]byte, error)
	ConfigMap(name string) (map[string][]byte, error)
	// Token is a token of the Pod's service account, for an audience; empty = the API server's.
	Token(pod *corev1.Pod, audience string) ([]byte, error)
}

// file is a file of a volume.
type file struct {
	content []byte
	mode    os.FileMode
}

// filesOf are the files of a volume by their paths in it; nil = it is an empty folder that the container may write.
func filesOf(objects Objects, pod *corev1.Pod, volume corev1.Volume) (map[string]file, error) {
	switch {
	case volume.EmptyDir != nil:
		return nil, nil
	case volume.Secret != nil:
		data, err := objects.Secret(volume.Secret.SecretName)
		if err != nil {
			return nil, err
		}
		return chosen(data, volume.Secret.Items, volume.Secret.DefaultMode)
	case volume.ConfigMap != nil:
		data, err := objects.ConfigMap(volume.ConfigMap.Name)
		if err != nil {
			return nil, err
		}
		return chosen(data, volume.ConfigMap.Items, volume.ConfigMap.DefaultMode)
	case volume.Projected != nil:
		return projected(objects, pod, volume.Projected)
	}
	return nil, fmt.Errorf("volume %s: got %+v, want a Secret, a ConfigMap, a projection or an emptyDir", volume.Name, volume.VolumeSource)
}

// chosen are the entries of an object that a volume has: those of its items, else all.
func chosen(data map[string][]byte, items []corev1.KeyToPath, mode *int32) (map[string]file, error) {
	usual := os.FileMode(0o644)
	if mode != nil {
		usual = os.FileMode(*mode)
	}
	files := map[string]file{}
	if items == nil {
		for key, content := range data {
			files[key] = file{content, usual}
		}
	}
	for _, item := range items {
		content, ok := data[item.Key]
		if !ok {
			return nil, fmt.Errorf("items: got %s, want one of %v", item.Key, slices.Sorted(maps.Keys(data)))
		}
		files[item.Path] = file{content, usual}
	}
	return files, nil
}

func projected(objects Objects, pod *corev1.Pod, from *corev1.ProjectedVolumeSource) (map[string]file, error) {
	files := map[string]file{}
	for _, source := range from.Sources {
		var more map[string]file
		var err error
		switch {
		case source.ServiceAccountToken != nil:
			var token []byte
			token, err = objects.Token(pod, source.ServiceAccountToken.Audience)
			more = map[string]file{source.ServiceAccountToken.Path: {token, 0o600}}
		case source.ConfigMap != nil:
			var data map[string][]byte
			if data, err = objects.ConfigMap(source.ConfigMap.Name); err == nil {
				more, err = chosen(data, source.ConfigMap.Items, from.DefaultMode)
			}
		case source.DownwardAPI != nil:
			more = map[string]file{}
			for _, item := range source.DownwardAPI.Items {
				if item.FieldRef.FieldPath != "metadata.namespace" {
					return nil, fmt.Errorf("downwardAPI: got %s, want metadata.namespace", item.FieldRef.FieldPath)
				}
				more[item.Path] = file{[]byte(pod.Namespace), 0o644}
			}
		default:
			err = fmt.Errorf("projection: got %+v, want a token, a ConfigMap or the namespace", source)
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(files, more)
	}
	return files, nil
}

// write replaces the files of a volume at once, as the kubelet does: names are links into ..data, itself a link that is
// renamed into place. The group may read them, as with an fsGroup.
func write(folder string, files map[string]file, group int) error {
	if files == nil {
		return os.Chmod(folder, 0o777)
	}
	newest, err := os.MkdirTemp(folder, "..")
	if err != nil {
		return err
	}
	if err := os.Chmod(newest, 0o755); err != nil {
		return err
	}
	for name, of := range files {
		path := filepath.Join(newest, name)
		if err := os.WriteFile(path, of.content, of.mode); err != nil {
			return err
		}
		if err := os.Chown(path, 0, group); err != nil {
			return err
		}
		if err := os.Chmod(path, of.mode|0o040); err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	link := filepath.Join(folder, "..data_tmp")
	if err := os.Symlink(filepath.Base(newest), link); err != nil {
		return err
	}
	return os.Rename(link, filepath.Join(folder, "..data"))
}
