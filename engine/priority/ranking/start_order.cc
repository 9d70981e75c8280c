#include "engine/priority/ranking/start_order.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/priority/jobs/job_id.h"

namespace priorityd::priority {
namespace {

// A key, from the highest bit: cannot preempt, has no reservation, 30 bits of tier, 32 bits of
// priority; all inverted.
constexpr int kPreemptBit = 63;
constexpr int kReservationBit = 62;
constexpr int kTierShift = 32;

// With fewer rows a comparison sort is faster.
constexpr size_t kRadixFrom = 4096;
// From this many equal rows on, computing a prefix of each job id once is faster than comparing
// ids.
constexpr size_t kPrefixFrom = 64;
constexpr int kRadixBits = 8;
constexpr size_t kBuckets = 1 << kRadixBits;

// A stable radix sort by `key`; skips bytes that are the same in all keys.
template <typename Keyed>
void RadixSort(std::vector<Keyed>& items) {
  uint64_t differing = 0;
  for (const Keyed& item : items) differing |= item.key ^ items.front().key;
  std::vector<Keyed> other(items.size());
  for (int shift = 0; shift < 64; shift += kRadixBits) {
    if ((differing >> shift & (kBuckets - 1)) == 0) continue;
    std::array<size_t, kBuckets> starts{};
    for (const Keyed& item : items) ++starts[item.key >> shift & (kBuckets - 1)];
    size_t start = 0;
    for (size_t& bucket : starts) start += std::exchange(bucket, start);
    for (const Keyed& item : items) other[starts[item.key >> shift & (kBuckets - 1)]++] = item;
    items.swap(other);
  }
}

}  // namespace

StartOrder::Tiers::Tiers(absl::Span<const Partition> partitions) {
  std::vector<uint32_t> tiers = {0};  // No partition: tier 0.
  for (const Partition& partition : partitions) tiers.push_back(partition.priority_tier);
  std::vector<uint32_t> sorted = tiers;
  std::sort(sorted.begin(), sorted.end());
  bits_.reserve(tiers.size());
  for (const uint32_t tier : tiers) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), tier) - sorted.begin();
    bits_.push_back(static_cast<uint64_t>(place) << kTierShift);
  }
}

StartOrder::StartOrder(const Snapshot& snapshot, const JobTable& table,
                       absl::Span<const uint32_t> priorities, absl::Time as_of,
                       absl::Span<const uint8_t> wanted)
    : StartOrder(std::make_shared<const Tiers>(snapshot.partitions()), table,
                 {0, static_cast<uint32_t>(table.jobs())}, priorities, as_of, wanted) {}

StartOrder::StartOrder(std::shared_ptr<const Tiers> tiers, const JobTable& table, JobRange jobs,
                       absl::Span<const uint32_t> priorities, absl::Time as_of,
                       absl::Span<const uint8_t> wanted)
    : table_(table),
      jobs_(jobs),
      priorities_(priorities),
      wanted_(wanted),
      as_of_us_(absl::ToUnixMicros(as_of)),
      tiers_(std::move(tiers)) {
  if (!table_.one_row_each) FindBestRows();
}

uint64_t StartOrder::KeyOf(const Tiers& tiers, const JobTable& table, size_t row,
                           uint32_t priority) {
  const uint64_t flags = table.flags[row];
  const uint64_t preempts = (flags & JobTable::kPreemptor) != 0;
  const uint64_t reserved = (flags & JobTable::kReservation) != 0;
  return ~(preempts << kPreemptBit | reserved << kReservationBit |
           tiers.Bits(table.partition[row]) | priority);
}

bool StartOrder::Before(uint32_t a, const StartOrder& other, uint32_t b) const {
  const uint32_t other_table = &table_ == &other.table_ ? 0 : 1;
  return FirstRows::Before(table_, {Key(a), 0, a}, other.table_, {other.Key(b), other_table, b});
}

OrderRule StartOrder::RuleBetween(uint32_t a, const StartOrder& other, uint32_t b) const {
  const uint64_t differing = Key(a) ^ other.Key(b);
  if ((differing >> kPreemptBit) != 0) return OrderRule::kPreemptor;
  if ((differing >> kReservationBit) != 0) return OrderRule::kReservation;
  if ((differing >> kTierShift) != 0) return OrderRule::kPriorityTier;
  if (differing != 0) return OrderRule::kPriority;
  return table_.submit_us[a] != other.table_.submit_us[b] ? OrderRule::kSubmitTime
                                                          : OrderRule::kJobId;
}

void StartOrder::FindBestRows() {
  best_row_.assign(jobs_.end - jobs_.begin, 0);
  for (uint32_t job = jobs_.begin; job < jobs_.end; ++job) {
    uint64_t best = 0;
    bool found = false;
    for (uint32_t row = table_.first_row[job]; row < table_.first_row[job + 1]; ++row) {
      if (!Ranked(row)) continue;
      const uint64_t key = Key(row);
      if (found && key >= best) continue;
      found = true;
      best = key;
      best_row_[job - jobs_.begin] = row;
    }
  }
}

std::vector<uint32_t> StartOrder::Top(size_t limit, bool best_only, size_t* total) const {
  FirstRows first(limit, best_only, table_.rows());
  first.Add(0, *this);
  if (total != nullptr) *total = first.total();
  std::vector<uint32_t> order;
  for (const FirstRows::Row& row : std::move(first).Take()) order.push_back(row.row);
  return order;
}

FirstRows::FirstRows(size_t limit, bool best_only, size_t rows)
    : limit_(limit),
      best_only_(best_only),
      capacity_(limit < rows / 2 ? std::max<size_t>(2 * limit, 1024) : SIZE_MAX) {
  rows_.reserve(std::min(capacity_, rows));
}

void FirstRows::Add(uint32_t table, const StartOrder& order) {
  if (tables_.size() <= table) tables_.resize(table + 1);
  tables_[table] = &order.table_;
  const uint32_t end = order.table_.first_row[order.jobs_.end];
  for (uint32_t row = order.table_.first_row[order.jobs_.begin]; row < end; ++row) {
    if (!order.Ranked(row) || (best_only_ && !order.BestOfJob(row))) continue;
    ++total_;
    const uint64_t key = order.Key(row);
    if (key > last_.key) continue;
    rows_.push_back({key, table, row});
    if (rows_.size() >= capacity_) Keep();
  }
}

bool FirstRows::Closed(const RowBound& bound) {
  if (limit_ == 0) return true;
  if (rows_.size() < limit_ || capacity_ == SIZE_MAX) return false;
  // Cutting to the limit takes time in proportion to the limit, so rows are cut in large batches.
  if (!kept_ || rows_.size() > limit_ + limit_ / 64) Keep();
  return last_ < bound;
}

std::vector<FirstRows::Row> FirstRows::Take() && {
  if (rows_.size() > limit_) Keep();
  Sort();
  return std::move(rows_);
}

bool FirstRows::Before(const JobTable& table_a, const Row& a, const JobTable& table_b,
                       const Row& b) {
  if (a.key != b.key) return a.key < b.key;
  const int64_t submit_a = table_a.submit_us[a.row];
  const int64_t submit_b = table_b.submit_us[b.row];
  if (submit_a != submit_b) return submit_a < submit_b;
  const uint32_t job_a = table_a.job[a.row];
  const uint32_t job_b = table_b.job[b.row];
  if (job_a == job_b && a.table == b.table) return a.row < b.row;
  return CompareJobIds(table_a.job_id[job_a], table_b.job_id[job_b]) < 0;
}

absl::string_view FirstRows::JobId(const Row& row) const {
  const JobTable& table = *tables_[row.table];
  return table.job_id[table.job[row.row]];
}

void FirstRows::Keep() {
  kept_ = true;
  if (limit_ == 0) {
    last_.key = 0;
  } else {
    std::nth_element(rows_.begin(), rows_.begin() + (limit_ - 1), rows_.end(),
                     [this](const Row& a, const Row& b) { return Before(a, b); });
    const Row& last = rows_[limit_ - 1];
    last_ = {last.key, tables_[last.table]->submit_us[last.row]};
  }
  rows_.resize(limit_);
}

void FirstRows::Sort() {
  if (rows_.size() < kRadixFrom) {
    std::sort(rows_.begin(), rows_.end(),
              [this](const Row& a, const Row& b) { return Before(a, b); });
    return;
  }
  RadixSort(rows_);
  const absl::Span<Row> all = absl::MakeSpan(rows_);
  for (size_t begin = 0, end = 0; begin < rows_.size(); begin = end) {
    while (end < rows_.size() && rows_[end].key == rows_[begin].key) ++end;
    if (end - begin > 1) SortTies(all.subspan(begin, end - begin));
  }
}

void FirstRows::SortTies(absl::Span<Row> run) const {
  if (run.size() < kPrefixFrom) {
    std::sort(run.begin(), run.end(), [this](const Row& a, const Row& b) { return Before(a, b); });
    return;
  }
  struct Tie {
    int64_t submit_us;
    uint64_t id_prefix;
    Row row;
  };
  std::vector<Tie> ties;
  ties.reserve(run.size());
  for (const Row& row : run) {
    ties.push_back({tables_[row.table]->submit_us[row.row], JobIdPrefix(JobId(row)), row});
  }
  std::sort(ties.begin(), ties.end(), [this](const Tie& a, const Tie& b) {
    if (a.submit_us != b.submit_us) return a.submit_us < b.submit_us;
    if (a.id_prefix != b.id_prefix) return a.id_prefix < b.id_prefix;
    return Before(a.row, b.row);
  });
  std::transform(ties.begin(), ties.end(), run.begin(), [](const Tie& tie) { return tie.row; });
}

}  // namespace priorityd::priority
