// The costs of jobs by price books.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_JOB_PRICES_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_JOB_PRICES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::priority {

// The longest part of a job's time that has a price.
inline constexpr absl::Duration kLongestPriced = absl::Hours(24 * 366);

// The properties of a job, from its start on, that determine its cost.
struct PricedJob {
  absl::string_view partition;  // Empty = none, also the QOS.
  absl::string_view qos;
  absl::Time start;
  absl::Duration time;
  // The count of a TRES, or of `billing`.
  absl::FunctionRef<double(const std::string& tres)> count;
};

// Thread-safe.
class JobPrices {
 public:
  virtual ~JobPrices() = default;

  // The cost of the job by the book `price/NAME`: TRES-seconds, of which 3600 are a unit of the
  // currency. 0 without that book.
  virtual double CostOf(const std::string& book, const PricedJob& job) const = 0;

  // The currency of the book `price/NAME`, such as EUR; empty without that book.
  virtual std::string CurrencyOf(const std::string& book) const = 0;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_JOB_PRICES_H_
