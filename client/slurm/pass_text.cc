#include "client/slurm/pass_text.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::slurm_frontend {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

std::string PriorityText(std::optional<int64_t> priority) {
  return priority.has_value() ? absl::StrCat(*priority) : "-";
}

std::string FactorText(const FactorDifference& factor) {
  return absl::StrFormat("%s %.7g/%.7g", factor.name, factor.ours, factor.theirs);
}

std::string DoneLine(const PassReport& report) {
  std::string line = absl::StrCat(
      "cluster ", report.cluster, ": ", report.site_taken ? "site taken over" : "site unchanged",
      ", ", report.usage_taken ? "usage taken over" : "usage unchanged", ", ", report.queue.jobs,
      " jobs, ", report.queue.changed, " changed, ", report.queue.removed, " gone");
  if (report.usage_records > 0) {
    absl::StrAppend(&line, ", ", report.usage_records, " records of usage");
  }
  if (report.usage_rejected > 0) {
    absl::StrAppend(&line, ", ", report.usage_rejected, " records of usage rejected (",
                    report.first_rejection, ")");
  }
  if (report.ages_taken > 0) {
    absl::StrAppend(&line, ", ", report.ages_taken, " with a reset age");
  }
  if (report.queue.refused > 0) {
    absl::StrAppend(&line, ", ", report.queue.refused, " refused (", report.queue.first_refusal,
                    ")");
  }
  return line;
}

std::string AgreementLine(const Comparison& comparison, absl::TimeZone zone) {
  const std::string pass = comparison.pass.has_value()
                               ? tables::ReportTimeText(*comparison.pass, zone)
                               : "an unknown time";
  return absl::StrCat("sprio's last pass at ", pass, ": ", comparison.compared, " rows, ",
                      comparison.equal, " of equal priority, ", comparison.agree, " agree, ",
                      comparison.differences.size(), " differ (", comparison.Unexplained(),
                      " for no known reason), the largest difference ", comparison.largest);
}

Value Number(double number) {
  Value value;
  value.set_number_value(number);
  return value;
}

Value Text(const std::string& text) {
  Value value;
  value.set_string_value(text);
  return value;
}

Value Flag(bool flag) {
  Value value;
  value.set_bool_value(flag);
  return value;
}

Value PriorityValue(std::optional<int64_t> priority) {
  if (priority.has_value()) return Number(static_cast<double>(*priority));
  Value none;
  none.set_null_value(google::protobuf::NULL_VALUE);
  return none;
}

Value DifferenceValue(const JobDifference& difference) {
  Value value;
  auto& fields = *value.mutable_struct_value()->mutable_fields();
  fields["jobId"] = Text(difference.job_id);
  fields["partition"] = Text(difference.partition);
  fields["ours"] = PriorityValue(difference.ours);
  fields["slurm"] = PriorityValue(difference.theirs);
  ListValue& factors = *fields["factors"].mutable_list_value();
  for (const FactorDifference& factor : difference.factors) {
    auto& of_factor = *factors.add_values()->mutable_struct_value()->mutable_fields();
    of_factor["name"] = Text(factor.name);
    of_factor["ours"] = Number(factor.ours);
    of_factor["slurm"] = Number(factor.theirs);
  }
  ListValue& reasons = *fields["reasons"].mutable_list_value();
  for (const std::string& reason : difference.reasons) *reasons.add_values() = Text(reason);
  return value;
}

Value ComparisonValue(const Comparison& comparison) {
  Value value;
  auto& fields = *value.mutable_struct_value()->mutable_fields();
  if (comparison.pass.has_value()) {
    fields["pass"] =
        Text(absl::FormatTime(absl::RFC3339_full, *comparison.pass, absl::UTCTimeZone()));
  }
  fields["compared"] = Number(static_cast<double>(comparison.compared));
  fields["equal"] = Number(static_cast<double>(comparison.equal));
  fields["agree"] = Number(static_cast<double>(comparison.agree));
  fields["unexplained"] = Number(static_cast<double>(comparison.Unexplained()));
  fields["largest"] = Number(static_cast<double>(comparison.largest));
  ListValue& differences = *fields["differences"].mutable_list_value();
  for (const JobDifference& difference : comparison.differences) {
    *differences.add_values() = DifferenceValue(difference);
  }
  return value;
}

}  // namespace

std::string PassTable(const PassReport& report, absl::TimeZone zone, size_t most) {
  std::string text = absl::StrCat(DoneLine(report), "\n");
  if (!report.has_comparison) {
    return absl::StrCat(text, "no comparison: sprio knows priority/multifactor only\n");
  }
  const Comparison& comparison = report.comparison;
  absl::StrAppend(&text, AgreementLine(comparison, zone), "\n");
  if (comparison.differences.empty()) return text;
  constexpr char kRow[] = "%15s %-10s %10s %10s  %-32s %s\n";
  absl::StrAppendFormat(&text, kRow, "JOBID", "PARTITION", "OURS", "SLURM", "FACTORS", "WHY");
  const size_t shown = std::min(most, comparison.differences.size());
  for (size_t i = 0; i < shown; ++i) {
    const JobDifference& one = comparison.differences[i];
    absl::StrAppendFormat(
        &text, kRow, one.job_id, one.partition, PriorityText(one.ours), PriorityText(one.theirs),
        absl::StrJoin(one.factors, ", ",
                      [](std::string* out, const auto& factor) { *out += FactorText(factor); }),
        one.reasons.empty() ? "no known reason" : absl::StrJoin(one.reasons, "; "));
  }
  if (shown < comparison.differences.size()) {
    absl::StrAppend(&text, "... and ", comparison.differences.size() - shown, " more\n");
  }
  return text;
}

std::string PassJson(const PassReport& report) {
  Struct pass;
  auto& fields = *pass.mutable_fields();
  fields["cluster"] = Text(report.cluster);
  fields["siteTaken"] = Flag(report.site_taken);
  fields["usageTaken"] = Flag(report.usage_taken);
  fields["jobs"] = Number(static_cast<double>(report.queue.jobs));
  fields["jobsChanged"] = Number(static_cast<double>(report.queue.changed));
  fields["jobsGone"] = Number(static_cast<double>(report.queue.removed));
  fields["agesTaken"] = Number(static_cast<double>(report.ages_taken));
  fields["jobsRefused"] = Number(static_cast<double>(report.queue.refused));
  fields["usageRecords"] = Number(static_cast<double>(report.usage_records));
  fields["usageRejected"] = Number(static_cast<double>(report.usage_rejected));
  ListValue& away = *fields["away"].mutable_list_value();
  for (const std::string& why : report.away) *away.add_values() = Text(why);
  if (report.has_comparison) fields["comparison"] = ComparisonValue(report.comparison);
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(pass, &json);
  return absl::StrCat(status.ok() ? json : "{}", "\n");
}

}  // namespace priorityd::slurm_frontend
