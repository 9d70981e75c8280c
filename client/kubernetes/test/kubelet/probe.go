package kubelet

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Probe makes one attempt of a probe of HTTP, as the kubelet does: to the Pod's address, without a look at the
// certificate, and a status from 200 to 399 is success.
func (c *Container) Probe(ctx context.Context, probe *corev1.Probe) error {
	get := probe.HTTPGet
	if get == nil {
		return fmt.Errorf("probe: got %+v, want httpGet", probe.ProbeHandler)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(max(1, probe.TimeoutSeconds))*time.Second)
	defer cancel()
	port, err := c.port(get.Port)
	if err != nil {
		return err
	}
	scheme := map[corev1.URIScheme]string{"": "http", corev1.URISchemeHTTP: "http", corev1.URISchemeHTTPS: "https"}[get.Scheme]
	url := fmt.Sprintf("%s://%s%s", scheme, net.JoinHostPort(c.Address, strconv.Itoa(port)), get.Path)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode >= 400 {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("%s answers %s: %s", url, answer.Status, text)
	}
	return nil
}

// port is the number of a port of the container, which may be given by its name.
func (c *Container) port(of intstr.IntOrString) (int, error) {
	if of.Type == intstr.Int {
		return of.IntValue(), nil
	}
	for _, port := range c.container().Ports {
		if port.Name == of.StrVal {
			return int(port.ContainerPort), nil
		}
	}
	return 0, fmt.Errorf("port: got %s, want one of %v", of.StrVal, c.container().Ports)
}

// Ready waits until the startup probe, if any, and then the readiness and the liveness probe succeed. It ends at once if
// the container ends.
func (c *Container) Ready(ctx context.Context) error {
	for _, probe := range []*corev1.Probe{c.container().StartupProbe, c.container().ReadinessProbe, c.container().LivenessProbe} {
		for probe != nil {
			if err := c.Ended(); err != nil {
				return err
			}
			err := c.Probe(ctx, probe)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%w\n%s", err, c.Log())
			case <-c.ended:
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}
