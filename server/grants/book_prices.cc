#include "server/grants/book_prices.h"

#include <algorithm>

#include "server/grants/stored_prices.h"

namespace priorityd::grants {

double BookPrices::CostOf(const std::string& book, const priority::PricedJob& job) const {
  absl::MutexLock lock(&mutex_);
  const auto found = books_.find(book);
  if (found == books_.end()) return 0;
  std::vector<double> counts;
  for (const std::string& tres : found->second.tres()) counts.push_back(job.count(tres));
  Key key(&found->second, job.partition, job.qos, job.start, job.time, std::move(counts));
  if (const auto kept = kept_.find(key); kept != kept_.end()) return kept->second;
  const absl::Time end = job.start + std::min(job.time, priority::kLongestPriced);
  const double cost =
      found->second.CostOf(job.start, end, {job.partition, job.qos, job.count}).seconds();
  if (kept_.size() == kMostKept) kept_.clear();
  kept_.emplace(std::move(key), cost);
  return cost;
}

std::string BookPrices::CurrencyOf(const std::string& book) const {
  absl::MutexLock lock(&mutex_);
  const auto found = books_.find(book);
  return found == books_.end() ? "" : found->second.currency();
}

absl::StatusOr<std::shared_ptr<const priority::JobPrices>> ReadJobPrices(
    storage::Transaction& transaction, int32_t cluster_id) {
  auto books = ReadPriceBooks(transaction, cluster_id);
  if (!books.ok()) return books.status();
  return std::make_shared<const BookPrices>(*std::move(books));
}

}  // namespace priorityd::grants
