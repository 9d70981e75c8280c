#include "server/priority/usage_limits.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/time/time.h"

namespace priorityd::priority {
namespace {

constexpr double kSecondsPerMinute = 60;

bool HasUsageLimits(const TresMap& tres_mins, const std::optional<absl::Duration>& wall) {
  return !tres_mins.empty() || wall.has_value();
}

bool AnyUsageLimits(const AssociationTree& tree) {
  if (!tree.has_limits()) return false;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    const AssociationLimits& own = tree.limits(i);
    if (HasUsageLimits(own.grp_tres_mins, own.grp_wall)) return true;
  }
  return false;
}

double At(absl::Span<const double> column, AssociationIndex i) {
  return column.empty() ? 0 : column[i];
}

double UsedBy(const UsageLimits::Usage& usage, const std::string& tres, AssociationIndex i) {
  if (tres == "billing") return At(usage.billing_seconds, i);
  if (usage.tres_seconds == nullptr) return 0;
  const auto column = usage.tres_seconds->find(tres);
  return column == usage.tres_seconds->end() ? 0 : column->second[i];
}

double UsedBy(const QosUsage& usage, const std::string& tres) {
  if (tres == "billing") return usage.usage;
  const auto found = usage.tres_seconds.find(tres);
  return found == usage.tres_seconds.end() ? 0 : found->second;
}

struct ReasonWords {
  absl::string_view tres;  // A name, or the beginning of one that ends in `/`.
  absl::string_view association;
  absl::string_view qos;
};

constexpr std::array<ReasonWords, 8> kReasonWords = {{
    {"cpu", "AssocGrpCPUMinutesLimit", "QOSGrpCPUMinutesLimit"},
    {"mem", "AssocGrpMemMinutes", "QOSGrpMemoryMinutes"},
    {"node", "AssocGrpNodeMinutes", "QOSGrpNodeMinutes"},
    {"energy", "AssocGrpEnergyMinutes", "QOSGrpEnergyMinutes"},
    {"billing", "AssocGrpBillingMinutes", "QOSGrpBillingMinutes"},
    {"gres/", "AssocGrpGRESMinutes", "QOSGrpGRESMinutes"},
    {"license/", "AssocGrpLicenseMinutes", "QOSGrpLicenseMinutes"},
    {"bb/", "AssocGrpBBMinutes", "QOSGrpBBMinutes"},
}};
constexpr ReasonWords kOther = {"", "AssocGrpUnknownMinutes", "QOSGrpUnknownMinutes"};

const ReasonWords& WordsOf(absl::string_view tres) {
  for (const ReasonWords& words : kReasonWords) {
    const bool family = absl::EndsWith(words.tres, "/");
    if (family ? absl::StartsWith(tres, words.tres) : tres == words.tres) return words;
  }
  return kOther;
}

}  // namespace

UsageLimits::UsageLimits(const AssociationTree& tree, absl::Span<const Qos> qos,
                         const Usage& usage) {
  if (AnyUsageLimits(tree)) AddAssociations(tree, usage);
  AddQos(qos, usage);
}

void UsageLimits::AddAssociations(const AssociationTree& tree, const Usage& usage) {
  chain_of_.resize(tree.size());
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    const AssociationLimits& own = tree.limits(i);
    const int32_t above = i == 0 ? 0 : chain_of_[tree.parent()[i]];
    chain_of_[i] = above;
    if (!HasUsageLimits(own.grp_tres_mins, own.grp_wall)) continue;
    const size_t first = limits_.size();
    for (const auto& [tres, minutes] : own.grp_tres_mins) {
      limits_.push_back(
          {TresIndex(tres), i, -1, minutes * kSecondsPerMinute, UsedBy(usage, tres, i)});
    }
    if (own.grp_wall.has_value()) {
      limits_.push_back({UsageLimit::kWall, i, -1, absl::ToDoubleSeconds(*own.grp_wall),
                         At(usage.wall_seconds, i)});
    }
    chain_of_[i] = AddChain(first, above);
  }
}

void UsageLimits::AddQos(absl::Span<const Qos> qos, const Usage& usage) {
  for (size_t i = 0; i < qos.size(); ++i) {
    if (!HasUsageLimits(qos[i].grp_tres_mins, qos[i].grp_wall)) continue;
    qos_chain_.resize(qos.size());
    const QosUsage used = usage.qos.empty() ? QosUsage() : usage.qos[i];
    const int index = static_cast<int>(i);
    const size_t first = limits_.size();
    for (const auto& [tres, minutes] : qos[i].grp_tres_mins) {
      limits_.push_back({TresIndex(tres), kNoAssociation, index, minutes * kSecondsPerMinute,
                         UsedBy(used, tres)});
    }
    if (qos[i].grp_wall.has_value()) {
      limits_.push_back({UsageLimit::kWall, kNoAssociation, index,
                         absl::ToDoubleSeconds(*qos[i].grp_wall), used.wall_seconds});
    }
    qos_chain_[i] = AddChain(first, 0);
  }
}

int32_t UsageLimits::AddChain(size_t first, int32_t above) {
  // A copy: the chains grow below.
  const std::vector<int32_t> inherited(Chain(above).begin(), Chain(above).end());
  for (const bool wall : {false, true}) {
    const auto add = [&](int32_t i) {
      if ((limits_[i].tres == UsageLimit::kWall) == wall) chains_.push_back(i);
    };
    for (size_t i = first; i < limits_.size(); ++i) add(static_cast<int32_t>(i));
    for (const int32_t i : inherited) add(i);
  }
  chain_begin_.push_back(static_cast<int32_t>(chains_.size()));
  return static_cast<int32_t>(chain_begin_.size()) - 2;
}

int UsageLimits::TresIndex(const std::string& name) {
  const auto found = std::find(tres_.begin(), tres_.end(), name);
  if (found == tres_.end()) {
    tres_.push_back(name);
    return static_cast<int>(tres_.size()) - 1;
  }
  return static_cast<int>(found - tres_.begin());
}

absl::string_view LimitReasonName(const UsageLimits& limits, const UsageLimit& limit) {
  if (limit.tres == UsageLimit::kWall) {
    return limit.of_qos() ? "QOSGrpWallLimit" : "AssocGrpWallLimit";
  }
  const ReasonWords& words = WordsOf(limits.tres()[limit.tres]);
  return limit.of_qos() ? words.qos : words.association;
}

}  // namespace priorityd::priority
