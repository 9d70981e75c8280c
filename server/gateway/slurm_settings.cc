#include "server/gateway/slurm_settings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;

using Words = google::protobuf::Map<std::string, std::string>;
using Pointer = Json::json_pointer;

// slurmrestd's representation of a word's value.
enum class Measure { kCount, kMinutes, kSeconds, kAmount, kTres };

// The path of the value.
struct Place {
  const char* word;
  const char* path;
  Measure measure;
};

constexpr Place kOfAssociations[] = {
    {"GrpJobs", "/max/jobs/per/count", Measure::kCount},
    {"GrpJobsAccrue", "/max/jobs/per/accruing", Measure::kCount},
    {"GrpSubmitJobs", "/max/jobs/per/submitted", Measure::kCount},
    {"MaxWallDurationPerJob", "/max/jobs/per/wall_clock", Measure::kMinutes},
    {"MaxJobs", "/max/jobs/active", Measure::kCount},
    {"MaxJobsAccrue", "/max/jobs/accruing", Measure::kCount},
    {"MaxSubmitJobs", "/max/jobs/total", Measure::kCount},
    {"GrpTRES", "/max/tres/total", Measure::kTres},
    {"GrpTRESMins", "/max/tres/group/minutes", Measure::kTres},
    {"GrpTRESRunMins", "/max/tres/group/active", Measure::kTres},
    {"MaxTRESMinsPerJob", "/max/tres/minutes/total", Measure::kTres},
    {"MaxTRESMinsPerJob", "/max/tres/minutes/per/job", Measure::kTres},
    {"MaxTRESPerJob", "/max/tres/per/job", Measure::kTres},
    {"MaxTRESPerNode", "/max/tres/per/node", Measure::kTres},
    {"GrpWall", "/max/per/account/wall_clock", Measure::kMinutes},
    {"MinPrioThreshold", "/min/priority_threshold", Measure::kCount},
    {"Priority", "/priority", Measure::kCount},
};

constexpr Place kOfQos[] = {
    {"GrpJobsAccrue", "/limits/max/active_jobs/accruing", Measure::kCount},
    {"GrpJobs", "/limits/max/active_jobs/count", Measure::kCount},
    {"GrpSubmit", "/limits/max/jobs/count", Measure::kCount},
    {"MaxJobsPA", "/limits/max/jobs/active_jobs/per/account", Measure::kCount},
    {"MaxJobsPU", "/limits/max/jobs/active_jobs/per/user", Measure::kCount},
    {"MaxSubmitPA", "/limits/max/jobs/per/account", Measure::kCount},
    {"MaxSubmitPU", "/limits/max/jobs/per/user", Measure::kCount},
    {"MaxJobsAccruePA", "/limits/max/accruing/per/account", Measure::kCount},
    {"MaxJobsAccruePU", "/limits/max/accruing/per/user", Measure::kCount},
    {"GrpTRES", "/limits/max/tres/total", Measure::kTres},
    {"GrpTRESMins", "/limits/max/tres/minutes/total", Measure::kTres},
    {"GrpTRESRunMins", "/limits/max/tres/minutes/per/qos", Measure::kTres},
    {"MaxTRESMins", "/limits/max/tres/minutes/per/job", Measure::kTres},
    {"MaxTRESRunMinsPA", "/limits/max/tres/minutes/per/account", Measure::kTres},
    {"MaxTRESRunMinsPU", "/limits/max/tres/minutes/per/user", Measure::kTres},
    {"MaxTRESPA", "/limits/max/tres/per/account", Measure::kTres},
    {"MaxTRES", "/limits/max/tres/per/job", Measure::kTres},
    {"MaxTRESPerNode", "/limits/max/tres/per/node", Measure::kTres},
    {"MaxTRESPU", "/limits/max/tres/per/user", Measure::kTres},
    {"GrpWall", "/limits/max/wall_clock/per/qos", Measure::kMinutes},
    {"MaxWall", "/limits/max/wall_clock/per/job", Measure::kMinutes},
    {"MinPrioThresh", "/limits/min/priority_threshold", Measure::kCount},
    {"MinTRES", "/limits/min/tres/per/job", Measure::kTres},
    {"LimitFactor", "/limits/factor", Measure::kAmount},
    {"PreemptExemptTime", "/preempt/exempt_time", Measure::kSeconds},
    {"Priority", "/priority", Measure::kCount},
    {"UsageFactor", "/usage_factor", Measure::kAmount},
    {"UsageThres", "/usage_threshold", Measure::kAmount},
};

// Slurm's own, by their numbers from 1.
constexpr std::array kOwnTres = {"cpu",     "mem",     "energy", "node",
                                 "billing", "fs/disk", "vmem",   "pages"};

struct FlagName {
  const char* word;
  const char* name;
};
constexpr FlagName kFlags[] = {{"DenyOnLimit", "DENY_LIMIT"},
                               {"EnforceUsageThreshold", "ENFORCE_USAGE_THRESHOLD"},
                               {"NoDecay", "NO_DECAY"},
                               {"NoReserve", "NO_RESERVE"},
                               {"OverPartQOS", "OVERRIDE_PARTITION_QOS"},
                               {"PartitionMaxNodes", "PARTITION_MAXIMUM_NODE"},
                               {"PartitionMinNodes", "PARTITION_MINIMUM_NODE"},
                               {"PartitionTimeLimit", "PARTITION_TIME_LIMIT"},
                               {"RequiresReservation", "REQUIRED_RESERVATION"},
                               {"UsageFactorSafe", "USAGE_FACTOR_SAFE"}};
constexpr const char* kPreemptModes[] = {"SUSPEND", "REQUEUE", "CANCEL", "GANG"};

const std::string& ValueOf(const Words& words, const char* word) {
  static const auto* const kNone = new std::string;
  const auto found = words.find(word);
  return found == words.end() ? *kNone : found->second;
}

Json CountShape(const std::string& value) {
  const std::optional<uint64_t> count =
      slurm::ReadInteger(value, std::numeric_limits<uint32_t>::max() - 1);
  return count.has_value() ? SetNumber(*count) : InfiniteNumber();
}

Json AmountShape(const std::string& value) {
  const std::optional<double> amount = slurm::ReadDecimal(value);
  return amount.has_value() ? SetNumber(*amount) : InfiniteNumber();
}

Json TimeShape(const std::string& value, absl::Duration unit) {
  if (value.empty()) return InfiniteNumber();
  const absl::StatusOr<absl::Duration> time = slurm::ParseTimeString(value);
  if (!time.ok() || *time == absl::InfiniteDuration()) return InfiniteNumber();
  return SetNumber(*time / unit);
}

// `gres/gpu:a100` has the type gres and the name gpu:a100.
Json TresShape(const std::string& value) {
  Json list = Json::array();
  const absl::StatusOr<priority::TresMap> limits = slurm::ParseTresLimits(value);
  if (!limits.ok()) return list;
  for (const auto& [tres, count] : *limits) {
    const std::vector<std::string> parts = absl::StrSplit(tres, absl::MaxSplits('/', 1));
    const auto* const own = std::find(kOwnTres.begin(), kOwnTres.end(), tres);
    list.push_back({{"type", parts[0]},
                    {"name", parts.size() > 1 ? parts[1] : ""},
                    {"id", own == kOwnTres.end() ? 0 : own - kOwnTres.begin() + 1},
                    {"count", numbers::WholePart(count)}});
  }
  return list;
}

Json ValueShape(Measure measure, const std::string& value) {
  switch (measure) {
    case Measure::kCount:
      return CountShape(value);
    case Measure::kMinutes:
      return TimeShape(value, absl::Minutes(1));
    case Measure::kSeconds:
      return TimeShape(value, absl::Seconds(1));
    case Measure::kAmount:
      return AmountShape(value);
    case Measure::kTres:
      return TresShape(value);
  }
  return InfiniteNumber();
}

void AddPlaces(absl::Span<const Place> places, const Words& words, Json* shape) {
  for (const Place& place : places) {
    (*shape)[Pointer(place.path)] = ValueShape(place.measure, ValueOf(words, place.word));
  }
}

Json NamesShape(const std::string& names) {
  return std::vector<std::string>(absl::StrSplit(names, ',', absl::SkipEmpty()));
}

Json FlagsShape(const std::string& words) {
  Json list = Json::array();
  for (const FlagName& flag : kFlags) {
    for (const absl::string_view word : absl::StrSplit(words, ',')) {
      if (absl::EqualsIgnoreCase(word, flag.word)) list.push_back(flag.name);
    }
  }
  return list;
}

Json PreemptModeShape(const std::string& words) {
  Json list = Json::array();
  for (const char* mode : kPreemptModes) {
    if (absl::StrContains(absl::AsciiStrToUpper(words), mode)) list.push_back(mode);
  }
  if (list.empty()) list.push_back("DISABLED");
  return list;
}

// Own limits, and inherited ones where there is no own limit.
Words WordsOf(const v1::Association& association, bool with_inherited) {
  Words words = association.attributes();
  if (with_inherited) {
    for (const auto& [word, value] : association.inherited()) words.insert({word, value});
  }
  return words;
}

int64_t SharesOf(const Words& words) {
  int64_t shares = 1;
  if (absl::EqualsIgnoreCase(ValueOf(words, "Fairshare"), "parent")) return kParentShares;
  return absl::SimpleAtoi(ValueOf(words, "Fairshare"), &shares) ? shares : 1;
}

Json IdShape(int version, const std::string& cluster, const v1::Association& association) {
  if (version >= kVersionOfPlainIds) return association.id();
  return {{"account", association.account()},
          {"cluster", cluster},
          {"partition", association.partition()},
          {"user", association.user()},
          {"id", association.id()}};
}

}  // namespace

Json AssociationShape(int version, const std::string& cluster, const v1::Association& association,
                      bool with_inherited) {
  const Words words = WordsOf(association, with_inherited);
  const bool is_user = !association.user().empty();
  Json shape = {{"accounting", Json::array()},
                {"account", association.account()},
                {"cluster", cluster},
                {"comment", ""},
                {"default", {{"qos", ValueOf(words, "DefaultQOS")}}},
                {"flags", Json::array()},
                {"id", IdShape(version, cluster, association)},
                {"parent_account", is_user ? "" : association.parent_account()},
                {"partition", association.partition()},
                {"qos", NamesShape(ValueOf(words, "QOS"))},
                {"shares_raw", SharesOf(association.attributes())},
                {"user", association.user()}};
  AddPlaces(kOfAssociations, words, &shape);
  return shape;
}

Json QosShape(const v1::Qos& qos) {
  const Words& words = qos.attributes();
  Json shape = {{"description", ValueOf(words, "Description")},
                {"flags", FlagsShape(ValueOf(words, "Flags"))},
                {"id", qos.id()},
                {"name", qos.name()}};
  shape["limits"]["grace_time"] =
      absl::ToInt64Seconds(slurm::ReadGraceTime(ValueOf(words, "GraceTime")));
  shape["preempt"]["list"] = NamesShape(ValueOf(words, "Preempt"));
  shape["preempt"]["mode"] = PreemptModeShape(ValueOf(words, "PreemptMode"));
  AddPlaces(kOfQos, words, &shape);
  return shape;
}

}  // namespace priorityd::gateway
