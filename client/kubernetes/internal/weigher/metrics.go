package weigher

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

const namespace = "priorityd_weights"

var (
	levelFS = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "level_fs",
		Help: "LevelFS of an account in the last recalculation."}, []string{"group", "account"})
	wanted = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "target",
		Help: "The value of a queue's field that follows from LevelFS, before hysteresis."}, []string{"group", "queue"})
	current = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "value",
		Help: "The value that a queue's field has."}, []string{"group", "queue"})
	writes = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "writes_total",
		Help: "Values written."}, []string{"group"})
	failures = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "failures_total",
		Help: "Turns of a group that failed."}, []string{"group"})
	generation = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "generation",
		Help: "The number of the last recalculation whose shares were read."})
	succeeded = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "success_timestamp_seconds",
		Help: "When a group last had a turn without an error."}, []string{"group"})
)

func init() {
	metrics.Registry.MustRegister(levelFS, wanted, current, writes, failures, generation, succeeded)
}
