// The costs of jobs by the price books of a cluster.
#ifndef PRIORITYD_SERVER_GRANTS_BOOK_PRICES_H_
#define PRIORITYD_SERVER_GRANTS_BOOK_PRICES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/grants/price_book.h"
#include "engine/priority/site/job_prices.h"
#include "storage/database/transaction.h"

namespace priorityd::grants {

// Jobs with the same partition, QOS, counts and times are priced once.
class BookPrices : public priority::JobPrices {
 public:
  explicit BookPrices(PriceBooks books) : books_(std::move(books)) {}

  double CostOf(const std::string& book, const priority::PricedJob& job) const override;
  std::string CurrencyOf(const std::string& book) const override;

 private:
  static constexpr size_t kMostKept = 100'000;

  // Book, partition, QOS, start, time, counts of the book's TRES.
  using Key = std::tuple<const PriceBook*, std::string, std::string, absl::Time, absl::Duration,
                         std::vector<double>>;

  mutable absl::Mutex mutex_;
  mutable PriceBooks books_ ABSL_GUARDED_BY(mutex_);
  mutable absl::flat_hash_map<Key, double> kept_ ABSL_GUARDED_BY(mutex_);
};

// Of the books as they are stored now. Errors of ReadPriceBooks.
absl::StatusOr<std::shared_ptr<const priority::JobPrices>> ReadJobPrices(
    storage::Transaction& transaction, int32_t cluster_id);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_BOOK_PRICES_H_
