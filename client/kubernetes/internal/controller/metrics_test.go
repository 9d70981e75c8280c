package controller

import (
	"os"
	"regexp"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Alerts and the dashboard use only existing metrics.
func TestAlertsAndDashboardAskForMetricsThatThereAre(t *testing.T) {
	known := map[string]bool{namespace + "_workloads": true}
	descs := make(chan *prometheus.Desc, 100)
	for _, collector := range []prometheus.Collector{jobsSent, recordsSent, lost, uncharged, writes, writeFailures, boostsWritten, ordered, rankingSeen} {
		collector.Describe(descs)
	}
	close(descs)
	for desc := range descs {
		known[regexp.MustCompile(`fqName: "([^"]*)"`).FindStringSubmatch(desc.String())[1]] = true
	}
	for _, file := range []string{"rules.yml", "dashboard.json"} {
		text, err := os.ReadFile("../../charts/priorityd-kubernetes/files/" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(namespace+`_[a-z_]+`).FindAllString(string(text), -1)
		for _, name := range found {
			if name = regexp.MustCompile(`_bucket$`).ReplaceAllString(name, ""); !known[name] {
				t.Errorf("%s asks for %s, which there is not", file, name)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s asks for nothing", file)
		}
	}
}
