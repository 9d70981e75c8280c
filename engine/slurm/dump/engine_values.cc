#include "engine/slurm/dump/engine_values.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "absl/strings/match.h"
#include "engine/slurm/conf/preempt_parameters.h"
#include "engine/slurm/dump/limit_words.h"
#include "engine/slurm/dump/qos_words.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::slurm {
namespace {

// Slurm's value for unset in 32 bits.
constexpr uint64_t kUnsetCount = std::numeric_limits<uint32_t>::max();

// Limits of a QOS on jobs that accrue, which do not limit starts.
struct QosCount {
  absl::string_view word;
  std::optional<uint32_t> priority::Qos::*field;
};
constexpr QosCount kQosCounts[] = {
    {"GrpJobsAccrue", &priority::Qos::grp_jobs_accrue},
    {"MaxJobsAccruePA", &priority::Qos::max_jobs_accrue_per_account},
    {"MaxJobsAccruePU", &priority::Qos::max_jobs_accrue_per_user},
    {"MinPrioThresh", &priority::Qos::min_prio_thresh},
};

struct QosFlag {
  absl::string_view name;
  bool priority::Qos::*field;
};
constexpr QosFlag kQosFlags[] = {
    {"DenyOnLimit", &priority::Qos::deny_on_limit},
    {"EnforceUsageThreshold", &priority::Qos::enforce_usage_threshold},
    {"NoDecay", &priority::Qos::no_decay},
    {"NoReserve", &priority::Qos::no_reserve},
    {"OverPartQOS", &priority::Qos::over_part_qos},
    {"PartitionMaxNodes", &priority::Qos::partition_max_nodes},
    {"PartitionMinNodes", &priority::Qos::partition_min_nodes},
    {"PartitionTimeLimit", &priority::Qos::partition_time_limit},
    {"Relative", &priority::Qos::relative},
};

}  // namespace

bool IsQosFlag(absl::string_view flag) {
  return std::any_of(std::begin(kQosFlags), std::end(kQosFlags), [flag](const QosFlag& known) {
    return absl::EqualsIgnoreCase(flag, known.name);
  });
}

void SetQosFlags(absl::Span<const std::string> flags, priority::Qos* qos) {
  for (const std::string& flag : flags) {
    for (const QosFlag& known : kQosFlags) {
      if (absl::EqualsIgnoreCase(flag, known.name)) qos->*known.field = true;
    }
  }
}

void SetQosLimit(absl::string_view column, absl::string_view value, priority::Qos* qos) {
  AddQosLimit(column, value, &qos->other_limits).IgnoreError();
  const auto word = FindQosWord(column);
  if (!word.ok()) return;
  if (word->name == "LimitFactor") {
    const double factor = ReadDecimal(value).value_or(1);
    qos->limit_factor = factor < 0 ? 1 : factor;
  }
  if (word->name == "PreemptExemptTime") {
    const auto time = ParseTimeString(value);
    if (time.ok() && *time < absl::InfiniteDuration()) qos->preempt_exempt_time = *time;
  }
  if (word->name == "GraceTime") qos->grace_time = ReadGraceTime(value);
  if (word->name == "PreemptMode") {
    const std::string mode = SpellPreemptMode(value);
    qos->preempt_mode = mode == "CLUSTER" || mode == "OFF" ? "" : mode;
  }
  for (const QosCount& count : kQosCounts) {
    if (count.word != word->name) continue;
    const auto number = ReadInteger(value, kUnsetCount);
    if (number.has_value() && *number < kUnsetCount) {
      qos->*count.field = static_cast<uint32_t>(*number);
    }
  }
}

priority::Qos ToEngine(const QosRow& row) {
  priority::Qos qos = row.qos;
  qos.grp_tres_mins = row.grp_tres_mins;
  qos.grp_wall = row.grp_wall;
  qos.max_submit_jobs_per_user = row.max_submit_jobs_per_user;
  SetQosFlags(row.flags, &qos);
  for (const auto& [column, value] : row.others) SetQosLimit(column, value, &qos);
  return qos;
}

priority::Association ToEngine(const DumpAssociation& line) {
  priority::Association association = line.association;
  for (const DumpOption& option : line.other_options) {
    AddAssociationLimit(option.name, option.value, &association.limits.others).IgnoreError();
  }
  return association;
}

}  // namespace priorityd::slurm
