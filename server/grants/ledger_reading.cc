#include "server/grants/ledger_reading.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/priority/site/tres_sum.h"
#include "server/grants/owner_index.h"
#include "server/grants/stored_prices.h"
#include "storage/configuration/qos_store.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/ledger_scan.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::grants {
namespace {

constexpr int64_t kRecordsPerPage = 20000;

double CountOf(const storage::UsageRecord& record, int32_t tres) {
  const auto found = absl::c_find_if(record.submitted.tres, [&](const storage::TresAmount& amount) {
    return amount.tres_id == tres;
  });
  return found == record.submitted.tres.end() ? 0 : found->amount;
}

// A TRES of which a pool counts usage, times a weight.
struct CountedTres {
  int32_t number;
  double weight;
};

// The TRES of the owner that anybody uses; not billing.
std::vector<CountedTres> CountedOf(const Owner& owner,
                                   const std::map<std::string, int32_t>& numbers) {
  std::vector<CountedTres> counted;
  for (const priority::TresTerm& term : priority::TresTermsOf(owner.tres)) {
    const auto number = numbers.find(term.tres);
    if (number != numbers.end()) counted.push_back({number->second, term.weight});
  }
  return counted;
}

// The rate at which a record uses what a pool counts, in TRES times their weights, times
// UsageFactor.
double RateOf(const storage::UsageRecord& record, const std::vector<CountedTres>& counted) {
  double sum = 0;
  for (const CountedTres& tres : counted) sum += tres.weight * CountOf(record, tres.number);
  return sum * record.usage_factor;
}

// The books that pools are priced by.
class Pricing {
 public:
  // Reads them if a pool needs one.
  absl::Status Read(storage::Transaction& transaction, int32_t cluster_id,
                    const std::vector<Pool>& pools) {
    const auto is_priced = [](const Pool& pool) { return priority::IsPrice(pool.owner.tres); };
    if (absl::c_none_of(pools, is_priced)) return absl::OkStatus();
    auto books = ReadPriceBooks(transaction, cluster_id);
    if (!books.ok()) return books.status();
    books_ = *std::move(books);
    storage::QosStore store(transaction);
    for (const auto& qos : {store.List(cluster_id), store.ListDeleted(cluster_id)}) {
      if (!qos.ok()) return qos.status();
      for (const storage::Qos& one : *qos) qos_names_[one.id] = one.name;
    }
    return absl::OkStatus();
  }

  // The price book of a TRES of a grant; null = it does not exist, and all is free.
  PriceBook* BookOf(const std::string& tres) {
    const auto found = books_.find(tres);
    return found == books_.end() ? nullptr : &found->second;
  }

  absl::string_view QosOf(const storage::UsageRecord& record) const {
    const auto qos = qos_names_.find(record.qos_id.value_or(0));
    return qos == qos_names_.end() ? absl::string_view() : qos->second;
  }

 private:
  PriceBooks books_;
  absl::flat_hash_map<int64_t, std::string> qos_names_;
};

class LedgerReading {
 public:
  LedgerReading(storage::Transaction& transaction, const SettlementInput& input,
                const GrantBook& book, const SettlementPlan& plan, std::vector<Pool>* pools)
      : scan_(transaction),
        cluster_id_(input.cluster_id),
        plan_(plan),
        pools_(*pools),
        index_(book, input.tree, [&transaction, id = input.cluster_id](int64_t association) {
          return storage::UsagePoolStore(transaction).PathOf(id, association);
        }) {}

  absl::Status ReadPrices(storage::Transaction& transaction) {
    return pricing_.Read(transaction, cluster_id_, pools_);
  }

  absl::Status ReadTail(int64_t end) {
    std::vector<int64_t> from;
    for (const Pool& pool : pools_) {
      if (HasTail(pool) && pool.settled_seq < end) from.push_back(pool.settled_seq);
    }
    absl::c_sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
    for (const int64_t seq : from) {
      if (absl::Status s = ReadTailAfter(seq, end); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status ReadWindows() {
    absl::Time first = absl::InfiniteFuture();
    for (size_t i = 0; i < pools_.size(); ++i) {
      const PoolPlan& of = plan_.of_pools[i];
      if (!of.read_from.has_value()) continue;
      first = std::min(first, *of.read_from);
      pools_[i].usage.Cut(*of.read_from, of.boundaries);
    }
    absl::Status added;
    absl::Status read = scan_.ReadEndingAfter(cluster_id_, first,
                                              [&](const std::vector<storage::UsageRecord>& page) {
                                                for (const storage::UsageRecord& record : page) {
                                                  if (added.ok()) added = AddToWindows(record);
                                                }
                                              });
    if (!read.ok() || !added.ok()) return read.ok() ? added : read;
    for (size_t i = 0; i < pools_.size(); ++i) {
      if (plan_.of_pools[i].read_from.has_value()) pools_[i].usage.Join();
    }
    return absl::OkStatus();
  }

 private:
  static bool HasTail(const Pool& pool) { return pool.id != 0 && !pool.is_stale; }

  absl::Status ReadTailAfter(int64_t seq, int64_t end) {
    const storage::LedgerRange range{.after = seq, .upto = end};
    auto replaced = scan_.ReadReplaced(cluster_id_, range);
    if (!replaced.ok()) return replaced.status();
    absl::Status status = AddToTail(*replaced, seq, false);
    for (int64_t from = seq; status.ok() && from < end;) {
      auto page = scan_.Read(cluster_id_, range, from, kRecordsPerPage);
      if (!page.ok()) return page.status();
      status = AddToTail(page->records, seq, true);
      from = page->next;
    }
    return status;
  }

  // To the pools that are settled up to `seq`.
  absl::Status AddToTail(const std::vector<storage::UsageRecord>& records, int64_t seq,
                         bool there) {
    for (const storage::UsageRecord& record : records) {
      auto owners = index_.Of(record.association_id);
      if (!owners.ok()) return owners.status();
      for (const int i : *owners) {
        if (!HasTail(pools_[i]) || pools_[i].settled_seq != seq) continue;
        Add(record, i, record.submitted.start_time, there);
      }
    }
    return absl::OkStatus();
  }

  // To the pools that are read again, what is in their new windows.
  absl::Status AddToWindows(const storage::UsageRecord& record) {
    auto owners = index_.Of(record.association_id);
    if (!owners.ok()) return owners.status();
    for (const int i : *owners) {
      const std::optional<absl::Time>& from = plan_.of_pools[i].read_from;
      if (from.has_value()) Add(record, i, std::max(record.submitted.start_time, *from), true);
    }
    return absl::OkStatus();
  }

  void Add(const storage::UsageRecord& record, int i, absl::Time start, bool there) {
    const absl::Time end = record.submitted.end_time;
    if (start >= end) return;
    if (priority::IsPrice(pools_[i].owner.tres)) return AddPriced(record, i, start, end, there);
    pools_[i].usage.Add(RateIn(i, record), start, end, there);
  }

  void AddPriced(const storage::UsageRecord& record, int i, absl::Time start, absl::Time end,
                 bool there) {
    PoolUsage& usage = pools_[i].usage;
    PriceBook* const book = pricing_.BookOf(pools_[i].owner.tres);
    if (book == nullptr || usage.periods().empty()) return;
    const auto count = [&](const std::string& tres) {
      if (tres == "billing") return record.billing_rate;
      const auto number = plan_.tres.find(tres);
      return number == plan_.tres.end() ? 0 : CountOf(record, number->second);
    };
    book->Cut(std::max(start, usage.periods().front().begin), end,
              {record.submitted.partition, pricing_.QosOf(record), count},
              [&](Rate rate, absl::Time from, absl::Time until) {
                usage.AddRate(rate, from, until, there);
              });
  }

  double RateIn(int i, const storage::UsageRecord& record) {
    const Owner& owner = pools_[i].owner;
    if (owner.tres == "billing") return record.billing_rate * record.usage_factor;
    const auto [counted, is_new] = counted_.try_emplace(i);
    if (is_new) counted->second = CountedOf(owner, plan_.tres);
    return RateOf(record, counted->second);
  }

  storage::LedgerScan scan_;
  const int32_t cluster_id_;
  const SettlementPlan& plan_;
  std::vector<Pool>& pools_;
  OwnerIndex index_;
  absl::flat_hash_map<int, std::vector<CountedTres>> counted_;  // By place of the pool.
  Pricing pricing_;
};

}  // namespace

absl::Status ReadLedger(storage::Transaction& transaction, const SettlementInput& input,
                        const GrantBook& book, int64_t end, const SettlementPlan& plan,
                        std::vector<Pool>* pools) {
  LedgerReading reading(transaction, input, book, plan, pools);
  if (absl::Status s = reading.ReadPrices(transaction); !s.ok()) return s;
  if (absl::Status s = reading.ReadTail(end); !s.ok()) return s;
  return plan.reads_windows ? reading.ReadWindows() : absl::OkStatus();
}

}  // namespace priorityd::grants
