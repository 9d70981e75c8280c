// The past usage that counts against limits.
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_USAGE_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_USAGE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/limits/limits.h"

namespace priorityd::priority {

// Usage by TRES, looked up once for each. All arguments must outlive it. Thread-compatible.
class LimitUsage {
 public:
  // `tres`: Limits::tres().
  LimitUsage(absl::Span<const std::string> tres, const Limits::Usage& usage);

  // The usage of the owner that counts against the limit: TRES-seconds, or seconds. REQUIRES: a
  // setting that counts usage.
  double UsedUnder(const Limit& limit) const;

 private:
  struct Column {
    bool is_billing = false;
    const UsageColumn* amounts = nullptr;  // Null = all 0.
  };

  Column ColumnOf(const std::string& name) const;
  double OfAssociation(AssociationIndex i, int tres) const;
  double OfQos(int qos, int tres) const;

  const absl::Span<const std::string> tres_;
  const Limits::Usage& usage_;
  std::vector<Column> of_tres_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_USAGE_H_
