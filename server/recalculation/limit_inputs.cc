#include "server/recalculation/limit_inputs.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "server/configuration/stored_rows.h"
#include "server/usage/usage_columns.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kLongestSilence = absl::Hours(7 * 24);

template <typename Row>
bool AnyLimits(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return !row.grp_tres_mins.empty() || row.grp_wall_minutes.has_value() ||
           absl::c_any_of(row.other_limits, [](const storage::KeyValue& limit) {
             return absl::StrContains(absl::AsciiStrToLower(limit.key), "runmins");
           });
  });
}

priority::QosUsage Decayed(const storage::UsageRow& row, double kept,
                           const absl::flat_hash_map<int32_t, absl::string_view>& tres_names) {
  priority::QosUsage usage;
  usage.usage = row.value * kept;
  usage.wall_seconds = row.wall_seconds * kept;
  for (const storage::TresAmount& tres : row.tres_seconds) {
    const auto name = tres_names.find(tres.tres_id);
    if (name == tres_names.end()) continue;
    usage.tres_seconds[std::string(name->second)] = tres.amount * kept;
  }
  return usage;
}

}  // namespace

std::vector<priority::QosUsage> QosUsageAt(absl::Time time, const storage::ClusterState& state,
                                           const priority::UsageDecay& decay) {
  const priority::UsageDecay reset_only({}, decay.reset());
  absl::flat_hash_map<int32_t, absl::string_view> tres_names;
  for (const auto& [name, id] : state.tres) tres_names[id] = name;
  absl::flat_hash_map<int64_t, size_t> index;
  for (size_t i = 0; i < state.qos.size(); ++i) index[state.qos[i].id] = i;
  std::vector<priority::QosUsage> usage(state.qos.size());
  for (const storage::UsageRow& row : state.qos_usage) {
    const auto found = index.find(row.id);
    if (found == index.end() || row.as_of == absl::InfinitePast()) continue;
    const bool no_decay = configuration::HasFlag(state.qos[found->second], "NoDecay");
    const double kept =
        (no_decay ? reset_only : decay).Carry(1, row.as_of, std::max(time, row.as_of));
    usage[found->second] = Decayed(row, kept, tres_names);
  }
  return usage;
}

bool LimitsUsage(const std::vector<storage::Association>& associations,
                 const std::vector<storage::Qos>& qos) {
  return AnyLimits(associations) || AnyLimits(qos);
}

absl::StatusOr<absl::flat_hash_map<std::string, absl::Time>> ReadRecordedUntil(
    storage::Transaction& transaction, const storage::ClusterState& state, absl::Time time,
    JobEnds* ends) {
  absl::flat_hash_map<std::string, absl::Time> until;
  const absl::Time latest = usage::LatestUsage(state);
  if (latest == absl::InfinitePast()) {
    *ends = JobEnds();
    return until;
  }
  absl::Status read = ends->Update(transaction, state.cluster.id, latest - kLongestSilence);
  if (!read.ok()) return read;
  until.reserve(ends->ends().size());
  for (const auto& [job_id, end] : ends->ends()) until.emplace(job_id, std::min(end, time));
  return until;
}

}  // namespace priorityd::recalculation
