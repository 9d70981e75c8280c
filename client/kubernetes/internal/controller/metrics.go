package controller

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	pb "priorityd.internal/client/priorityv1"
)

const namespace = "priorityd_kubernetes"

var (
	jobsSent = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "jobs_told_total",
		Help: "Workloads sent to priorityd, by outcome."}, []string{"outcome"})
	recordsSent = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "usage_records_total",
		Help: "Usage records sent to priorityd, by status."}, []string{"status"})
	lost = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "usage_lost_total",
		Help: "Usage records and Workloads that could not be charged and were given up."})
	corrected = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "charges_corrected_total",
		Help: "Ledgers whose stored state was implausible and was replaced by the state of the API."})
	uncharged = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "usage_uncharged_workloads",
		Help: "Workloads whose usage priorityd refuses at present, for example of an unknown account."})
	writes = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "workload_writes_total",
		Help: "Patches of Workloads: boosts, places, forecasts, ledgers, finalizers."})
	writeFailures = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "workload_write_failures_total",
		Help: "Patches of Workloads that failed."})
	boostsWritten = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "boosts_written_total",
		Help: "Priority boosts written."})
	boostForms = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "boost_form",
		Help: "1 for each part of a Workload that boosts are written to: annotation, field."}, []string{"form"})
	forecastsWritten = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "start_forecasts_written_total",
		Help: "Start forecasts written or removed."})
	releases = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "released_total",
		Help: "Plain Jobs and Pods that were released, by kind."}, []string{"kind"})
	ordered = prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: "order_written_seconds",
		Help:    "From the receipt of a start order until the last changed boost was written.",
		Buckets: prometheus.ExponentialBuckets(0.01, 2, 14)})
	rankingSeen = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "ranking_seen_timestamp_seconds",
		Help: "When priorityd last sent the start order of a ClusterQueue."}, []string{"cluster_queue"})
)

func init() {
	metrics.Registry.MustRegister(jobsSent, recordsSent, lost, corrected, uncharged, writes, writeFailures, boostsWritten, boostForms, forecastsWritten, releases, ordered, rankingSeen)
}

// bookCollector counts the Workloads.
type bookCollector struct {
	book *Book
	desc *prometheus.Desc
}

// RegisterBook registers the metrics of the book.
func RegisterBook(book *Book) error {
	return metrics.Registry.Register(&bookCollector{book, prometheus.NewDesc(namespace+"_workloads",
		"Workloads that are known, by state.", []string{"state"}, nil)})
}

func (c *bookCollector) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

func (c *bookCollector) Collect(into chan<- prometheus.Metric) {
	counts := map[string]float64{"pending": 0, "admitted": 0, "finished": 0}
	for _, r := range c.book.Records("") {
		switch {
		case !r.Finished.IsZero():
			counts["finished"]++
		case !r.Reserved.IsZero():
			counts["admitted"]++
		default:
			counts["pending"]++
		}
	}
	for state, count := range counts {
		into <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, count, state)
	}
}

func outcomeName(outcome pb.UpdateOutcome) string {
	return strings.ToLower(strings.TrimPrefix(outcome.String(), "UPDATE_OUTCOME_"))
}

func statusName(status pb.UsageRecordStatus) string {
	return strings.ToLower(strings.TrimPrefix(status.String(), "USAGE_RECORD_STATUS_"))
}
