package chart

import (
	"os"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// builder has the names that tools/build-packages gives the images.
const builder = "../../../../tools/packaging/images.py"

func TestImagesAreThoseOfTheRelease(t *testing.T) {
	version, err := os.ReadFile("../../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	tag := ":" + strings.TrimSpace(string(version))
	names, err := os.ReadFile(builder)
	if err != nil {
		t.Fatal(err)
	}
	on := map[string]any{"enabled": true}
	for name, c := range map[string]struct {
		values             map[string]any
		server, controller string
		policy             corev1.PullPolicy
	}{
		"of nodes": {map[string]any{"priorityd": on}, "priorityd" + tag, "priorityd-kubernetes" + tag, ""},
		"of a registry": {map[string]any{"priorityd": on, "registry": "registry.site:5000/x", "imagePullPolicy": "Never"},
			"registry.site:5000/x/priorityd" + tag, "registry.site:5000/x/priorityd-kubernetes" + tag, corev1.PullNever},
		"by their names": {map[string]any{"priorityd": map[string]any{"enabled": true, "image": "s@sha256:1"}, "registry": "r", "image": "c:2"},
			"s@sha256:1", "c:2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := render(t, c.values)
			for deployment, image := range map[string]string{"priorityd": c.server, "priorityd-kubernetes": c.controller} {
				found, _ := typed[appsv1.Deployment](t, all, "Deployment "+deployment)
				container := found.Spec.Template.Spec.Containers[0]
				if container.Image != image || container.ImagePullPolicy != c.policy {
					t.Errorf("%s: got %s, %q, want %s, %q", deployment, container.Image, container.ImagePullPolicy, image, c.policy)
				}
				if !regexp.MustCompile(`(?m)^    "` + deployment + `": \(`).Match(names) {
					t.Errorf("%s: want an image named %s", builder, deployment)
				}
			}
		})
	}
}

func TestWrongImagesAreRefused(t *testing.T) {
	for _, values := range []map[string]any{{"registry": "registry.site/"}, {"registry": "a b"}, {"image": "a b"}, {"imagePullPolicy": "always"}} {
		if _, err := Render(folder, "space", values); err == nil {
			t.Errorf("%v: got no error, want one", values)
		}
	}
}
