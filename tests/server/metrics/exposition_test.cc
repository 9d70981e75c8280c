#include "server/metrics/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "server/metrics/families.h"

namespace priorityd::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<prometheus::MetricFamily> Example() {
  measures::Distribution seconds({0.25, 1});
  seconds.Add(0.5);
  Families families;
  families.Counter("calls_total", "Calls").Add(3, {{"method", "a\"b\\c\nd"}});
  families.Gauge("size_bytes", "One\nline")
      .Add(0.1)
      .Add(std::numeric_limits<double>::infinity(), {{"l", ""}});
  families.Histogram("wait_seconds", "Waits").Add(seconds.Read(), {{"l", "v"}});
  return std::move(families).Take();
}

// By the specification: https://prometheus.io/docs/specs/om/open_metrics_spec/
TEST(ExpositionTest, OpenMetricsHasItsOwnNamesBoundsAndEnd) {
  EXPECT_EQ(ToOpenMetrics(Example()),
            "# TYPE calls counter\n"
            "# HELP calls Calls\n"
            "calls_total{method=\"a\\\"b\\\\c\\nd\"} 3\n"
            "# TYPE size_bytes gauge\n"
            "# HELP size_bytes One\\nline\n"
            "size_bytes 0.10000000000000001\n"
            "size_bytes{l=\"\"} +Inf\n"
            "# TYPE wait_seconds histogram\n"
            "# HELP wait_seconds Waits\n"
            "wait_seconds_bucket{l=\"v\",le=\"0.25\"} 0\n"
            "wait_seconds_bucket{l=\"v\",le=\"1.0\"} 1\n"
            "wait_seconds_bucket{l=\"v\",le=\"+Inf\"} 1\n"
            "wait_seconds_count{l=\"v\"} 1\n"
            "wait_seconds_sum{l=\"v\"} 0.5\n"
            "# EOF\n");
}

TEST(ExpositionTest, TheFormatIsTheOneThatTheReaderPrefers) {
  struct Case {
    const char* accept;
    bool open_metrics;
  };
  for (const Case& c : std::vector<Case>{
           {"", false},
           {"*/*", false},
           {"text/plain;version=0.0.4", false},
           {"application/openmetrics-text", true},
           {"Application/OpenMetrics-Text ; version=1.0.0", true},
           // Prometheus' own.
           {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
            "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            true},
           {"application/openmetrics-text;q=0.3,text/plain;q=0.5", false},
           {"application/openmetrics-text;q=0", false},
           {"application/openmetrics-text;q=none", false},
           {"application/openmetrics-texts", false},
           {",;,q=1;,,", false}}) {
    const Exposition exposition = Expose(Example(), c.accept);
    EXPECT_THAT(exposition.content_type,
                StartsWith(c.open_metrics ? "application/openmetrics-text; version=1.0.0"
                                          : "text/plain; version=0.0.4"))
        << c.accept;
    EXPECT_EQ(exposition.text.find("# EOF") != std::string::npos, c.open_metrics) << c.accept;
  }
}

TEST(ExpositionTest, ThePlainFormatKeepsTheNamesOfCounters) {
  const std::string text = Expose(Example(), "").text;
  EXPECT_THAT(text, HasSubstr("# TYPE calls_total counter\n"));
  EXPECT_THAT(text, HasSubstr("wait_seconds_count{l=\"v\"} 1\n"));
}

}  // namespace
}  // namespace priorityd::metrics
