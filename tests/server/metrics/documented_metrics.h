// The list of docs/metrics.md, and that of a scrape.
#ifndef PRIORITYD_TESTS_SERVER_METRICS_DOCUMENTED_METRICS_H_
#define PRIORITYD_TESTS_SERVER_METRICS_DOCUMENTED_METRICS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace priorityd::metrics {

struct Metric {
  std::string type;  // counter, gauge, histogram.
  std::set<std::string> labels;
  std::string meaning;
  bool operator==(const Metric&) const = default;
};

using MetricList = std::map<std::string, Metric>;

// The rows `| name | type | unit | labels | meaning |` of a page. A unit that the name does not
// end in is noted in `faults`.
MetricList ReadPage(const std::string& page, std::vector<std::string>* faults);

// Of the text format.
MetricList ReadScrape(const std::string& text);

// A line for each metric that one of the lists lacks, or describes otherwise; what the row should
// be.
std::vector<std::string> Differences(const MetricList& documented, const MetricList& scraped);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_TESTS_SERVER_METRICS_DOCUMENTED_METRICS_H_
