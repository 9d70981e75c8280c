#include "server/logging/recalculation_log.h"

#include <spdlog/spdlog.h>

#include "server/logging/log_fields.h"

namespace priorityd::logging {
namespace {

LogFields FieldsOf(const recalculation::RecalculationReport& report) {
  const recalculation::RecalculationStages& stages = report.stages;
  LogFields fields = {{"cluster", report.cluster},
                      {"ms", report.duration},
                      {"read_ms", stages.read},
                      {"compute_ms", stages.compute},
                      {"publish_ms", stages.publish},
                      {"usage_changed", stages.published_entries},
                      {"configuration_changed", stages.configuration_changed}};
  if (report.on_demand) {
    fields.emplace_back("on_demand", true);
  } else {
    fields.emplace_back("lag_ms", report.lag);
  }
  return fields;
}

}  // namespace

void RecalculationLog::Recalculated(const recalculation::RecalculationReport& report) {
  const recalculation::RecalculationStages& stages = report.stages;
  const bool is_news =
      report.status.ok() && (stages.published_entries > 0 || stages.configuration_changed);
  const auto level = is_news ? spdlog::level::info : spdlog::level::debug;
  if (!spdlog::should_log(level)) return;
  LogFields fields = FieldsOf(report);
  if (report.snapshot == nullptr) {
    fields.emplace_back("error", report.status.ToString());
    return Log(level, "recalculation failed", fields);
  }
  fields.emplace_back("generation", report.snapshot->generation());
  fields.emplace_back("associations", static_cast<int64_t>(report.snapshot->tree().size()));
  fields.emplace_back("jobs", jobs_(report.cluster));
  Log(level, "recalculated", fields);
}

}  // namespace priorityd::logging
