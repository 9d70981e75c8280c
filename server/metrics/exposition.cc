#include "server/metrics/exposition.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr char kOpenMetricsType[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";
constexpr char kTextType[] = "text/plain; version=0.0.4; charset=utf-8";

// The q value of an entry of Accept; 1 if it has none.
double QualityOf(absl::string_view entry) {
  for (const absl::string_view parameter : absl::StrSplit(entry, ';')) {
    absl::string_view text = absl::StripAsciiWhitespace(parameter);
    double quality = 1;
    if (absl::ConsumePrefix(&text, "q=")) return absl::SimpleAtod(text, &quality) ? quality : 0;
  }
  return 1;
}

// The client's preference for a type; 0 = it does not accept it.
double Preference(absl::string_view accept, absl::string_view type) {
  double best = 0;
  for (const absl::string_view entry : absl::StrSplit(accept, ',')) {
    const absl::string_view name = absl::StripAsciiWhitespace(entry.substr(0, entry.find(';')));
    if (absl::EqualsIgnoreCase(name, type)) best = std::max(best, QualityOf(entry));
  }
  return best;
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return absl::StrFormat("%.17g", value);
}

// The shortest text of a bound that parses to the same number, with a decimal point: 1 is 1.0.
std::string Bound(double value) {
  if (std::isinf(value)) return "+Inf";
  const std::string text = absl::StrCat(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\n", "\\n"}, {"\"", "\\\""}});
}

// `{a="1",le="2.5"}`; empty without labels.
std::string LabelsOf(const ClientMetric& series, absl::string_view bound = "") {
  std::string text;
  for (const ClientMetric::Label& label : series.label) {
    absl::StrAppend(&text, text.empty() ? "" : ",", label.name, "=\"", Escaped(label.value), "\"");
  }
  if (!bound.empty()) absl::StrAppend(&text, text.empty() ? "" : ",", "le=\"", bound, "\"");
  return text.empty() ? text : absl::StrCat("{", text, "}");
}

void AppendHistogram(absl::string_view name, const ClientMetric& series, std::string* text) {
  for (const ClientMetric::Bucket& bucket : series.histogram.bucket) {
    absl::StrAppend(text, name, "_bucket", LabelsOf(series, Bound(bucket.upper_bound)), " ",
                    bucket.cumulative_count, "\n");
  }
  absl::StrAppend(text, name, "_count", LabelsOf(series), " ", series.histogram.sample_count, "\n");
  absl::StrAppend(text, name, "_sum", LabelsOf(series), " ", Number(series.histogram.sample_sum),
                  "\n");
}

const char* TypeName(MetricType type) {
  if (type == MetricType::Counter) return "counter";
  return type == MetricType::Histogram ? "histogram" : "gauge";
}

// The name of a counter family lacks the suffix of its series.
void AppendFamily(const MetricFamily& family, std::string* text) {
  const bool is_counter = family.type == MetricType::Counter;
  absl::string_view name = family.name;
  if (is_counter) absl::ConsumeSuffix(&name, "_total");
  absl::StrAppend(text, "# TYPE ", name, " ", TypeName(family.type), "\n");
  absl::StrAppend(text, "# HELP ", name, " ", Escaped(family.help), "\n");
  for (const ClientMetric& series : family.metric) {
    if (family.type == MetricType::Histogram) {
      AppendHistogram(name, series, text);
    } else {
      absl::StrAppend(text, name, is_counter ? "_total" : "", LabelsOf(series), " ",
                      Number(is_counter ? series.counter.value : series.gauge.value), "\n");
    }
  }
}

}  // namespace

std::string ToOpenMetrics(const std::vector<MetricFamily>& families) {
  std::string text;
  for (const MetricFamily& family : families) AppendFamily(family, &text);
  return text + "# EOF\n";
}

Exposition Expose(const std::vector<MetricFamily>& families, absl::string_view accept) {
  const double open_metrics = Preference(accept, "application/openmetrics-text");
  if (open_metrics > 0 && open_metrics >= Preference(accept, "text/plain")) {
    return {kOpenMetricsType, ToOpenMetrics(families)};
  }
  return {kTextType, prometheus::TextSerializer().Serialize(families)};
}

}  // namespace priorityd::metrics
