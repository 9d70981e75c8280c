#include "engine/priority/limits/limit_usage.h"

namespace priorityd::priority {
namespace {

double At(absl::Span<const double> column, AssociationIndex i) {
  return column.empty() ? 0 : column[i];
}

}  // namespace

LimitUsage::LimitUsage(absl::Span<const std::string> tres, const Limits::Usage& usage)
    : tres_(tres), usage_(usage) {
  for (const std::string& name : tres) of_tres_.push_back(ColumnOf(name));
}

LimitUsage::Column LimitUsage::ColumnOf(const std::string& name) const {
  if (name == "billing") return {.is_billing = true};
  if (usage_.tres_seconds == nullptr) return {};
  const auto column = usage_.tres_seconds->find(name);
  return column == usage_.tres_seconds->end() ? Column{} : Column{false, &column->second};
}

double LimitUsage::UsedUnder(const Limit& limit) const {
  return limit.of_qos() ? OfQos(limit.qos, limit.tres)
                        : OfAssociation(limit.association, limit.tres);
}

double LimitUsage::OfAssociation(AssociationIndex i, int tres) const {
  if (tres < 0) return At(usage_.wall_seconds, i);
  const Column& column = of_tres_[tres];
  if (column.is_billing) return At(usage_.billing_seconds, i);
  return column.amounts == nullptr ? 0 : (*column.amounts)[i];
}

double LimitUsage::OfQos(int qos, int tres) const {
  if (usage_.qos.empty()) return 0;
  const QosUsage& usage = usage_.qos[qos];
  if (tres < 0) return usage.wall_seconds;
  const std::string& name = tres_[tres];
  if (name == "billing") return usage.usage;
  const auto found = usage.tres_seconds.find(name);
  return found == usage.tres_seconds.end() ? 0 : found->second;
}

}  // namespace priorityd::priority
