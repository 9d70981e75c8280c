#include "engine/slurm/dump/qos_cells.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/dump/qos_words.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

constexpr uint64_t kMaxInteger = std::numeric_limits<uint32_t>::max();

absl::Status ReadPriority(absl::string_view cell, QosRow& row) {
  const std::optional<uint64_t> priority = ReadInteger(cell, kMaxInteger);
  if (!priority.has_value()) return Unexpected(cell, "a whole number from 0 to 4294967295");
  row.qos.priority = static_cast<uint32_t>(*priority);
  return absl::OkStatus();
}

// Slurm prints unset values as -1 or empty.
bool IsUnset(std::optional<double> number) { return number.has_value() && *number == -1; }

absl::Status ReadUsageFactor(absl::string_view cell, QosRow& row) {
  const std::optional<double> factor = ReadDecimal(cell);
  if (IsUnset(factor)) return absl::OkStatus();
  if (!factor.has_value() || *factor < 0) return Unexpected(cell, "a number of at least 0");
  row.qos.usage_factor = *factor;
  return absl::OkStatus();
}

absl::Status ReadUsageThreshold(absl::string_view cell, QosRow& row) {
  const std::optional<double> threshold = ReadDecimal(cell);
  if (IsUnset(threshold)) return absl::OkStatus();
  if (!threshold.has_value() || *threshold < 0) return Unexpected(cell, "a number of at least 0");
  row.qos.usage_threshold = *threshold;
  return absl::OkStatus();
}

absl::Status ReadGrpTresMins(absl::string_view cell, QosRow& row) {
  absl::StatusOr<priority::TresMap> limits = ParseTresLimits(cell);
  if (limits.ok()) row.grp_tres_mins = *std::move(limits);
  return limits.status();
}

absl::Status ReadGrpWall(absl::string_view cell, QosRow& row) {
  const absl::StatusOr<absl::Duration> wall = ParseMinutes(cell);
  if (!wall.ok()) return wall.status();
  if (*wall != absl::InfiniteDuration()) row.grp_wall = *wall;
  return absl::OkStatus();
}

absl::Status ReadMaxSubmit(absl::string_view cell, QosRow& row) {
  if (cell == "-1") return absl::OkStatus();
  const std::optional<uint64_t> jobs = ReadInteger(cell, kMaxInteger);
  if (!jobs.has_value()) return Unexpected(cell, "a whole number or -1");
  row.max_submit_jobs_per_user = static_cast<uint32_t>(*jobs);
  return absl::OkStatus();
}

absl::Status ReadFlags(absl::string_view cell, QosRow& row) {
  for (absl::string_view word : absl::StrSplit(cell, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    row.flags.push_back(std::string(word));
    if (absl::EqualsIgnoreCase(word, "NoDecay")) row.qos.no_decay = true;
    if (absl::EqualsIgnoreCase(word, "EnforceUsageThreshold")) {
      row.qos.enforce_usage_threshold = true;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadPreempt(absl::string_view cell, QosRow& row) {
  for (absl::string_view name : absl::StrSplit(cell, ',', absl::SkipWhitespace())) {
    row.qos.preempt.push_back(std::string(absl::StripAsciiWhitespace(name)));
  }
  return absl::OkStatus();
}

absl::Status ReadName(absl::string_view cell, QosRow& row) {
  row.qos.name = std::string(cell);
  return CheckName(cell);
}

struct Column {
  absl::string_view name;
  absl::string_view alias;
  absl::Status (*read)(absl::string_view cell, QosRow& row);
};

constexpr Column kColumns[] = {
    {"Name", "", ReadName},
    {"Priority", "", ReadPriority},
    {"UsageFactor", "", ReadUsageFactor},
    {"GrpTRESMins", "", ReadGrpTresMins},
    {"GrpWall", "", ReadGrpWall},
    {"MaxSubmitPU", "MaxSubmitJobsPU", ReadMaxSubmit},
    {"MaxSubmitPU", "MaxSubmitJobsPerUser", ReadMaxSubmit},
    {"Flags", "", ReadFlags},
    {"UsageThres", "UsageThreshold", ReadUsageThreshold},
    {"Preempt", "", ReadPreempt},
};

const Column* FindColumn(absl::string_view name) {
  const auto found =
      std::find_if(std::begin(kColumns), std::end(kColumns), [name](const Column& column) {
        return absl::EqualsIgnoreCase(name, column.name) ||
               absl::EqualsIgnoreCase(name, column.alias);
      });
  return found == std::end(kColumns) || name.empty() ? nullptr : found;
}

}  // namespace

std::string QosColumnName(absl::string_view name) {
  const Column* column = FindColumn(name);
  return std::string(column == nullptr ? name : column->name);
}

absl::Status ReadQosCell(absl::string_view column_name, absl::string_view cell, QosRow& row) {
  cell = absl::StripAsciiWhitespace(cell);
  if (cell.empty()) return absl::OkStatus();
  if (const Column* column = FindColumn(column_name)) return column->read(cell, row);
  if (absl::Status s = CheckQosCell(column_name, cell); !s.ok()) return s;
  row.others.emplace_back(std::string(column_name), std::string(cell));
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
