#include "server/priority/start_order.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/priority/job_id.h"

namespace priorityd {
namespace {

// A key, from the highest bit: cannot preempt, has no reservation, 30 bits of
// tier, 32 of priority, all inverted.
constexpr int kPreemptBit = 63;
constexpr int kReservationBit = 62;
constexpr int kTierShift = 32;

// Below this many rows a comparison sort is the quicker one.
constexpr size_t kRadixFrom = 4096;
// From this many equals on it pays to look at a job id once, not per comparison.
constexpr size_t kPrefixFrom = 64;
constexpr int kRadixBits = 8;
constexpr size_t kBuckets = 1 << kRadixBits;

std::vector<uint64_t> TierBits(absl::Span<const Partition> partitions) {
  std::vector<uint32_t> tiers = {0};  // No partition: tier 0.
  for (const Partition& partition : partitions) tiers.push_back(partition.priority_tier);
  std::vector<uint32_t> sorted = tiers;
  std::sort(sorted.begin(), sorted.end());
  std::vector<uint64_t> bits;
  bits.reserve(tiers.size());
  for (const uint32_t tier : tiers) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), tier) - sorted.begin();
    bits.push_back(static_cast<uint64_t>(place) << kTierShift);
  }
  return bits;
}

// Stable, by `key`; passes over bytes that are the same in all keys are left out.
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

StartOrder::StartOrder(const Snapshot& snapshot, const JobTable& table,
                       absl::Span<const uint32_t> priorities, absl::Time as_of,
                       absl::Span<const uint8_t> wanted)
    : table_(table),
      priorities_(priorities),
      wanted_(wanted),
      as_of_us_(absl::ToUnixMicros(as_of)),
      tier_bits_(TierBits(snapshot.partitions())) {
  if (!table_.one_row_each) FindBestRows();
}

uint64_t StartOrder::Key(size_t row) const {
  const uint64_t flags = table_.flags[row];
  const uint64_t preempts = (flags & JobTable::kPreemptor) != 0;
  const uint64_t reserved = (flags & JobTable::kReservation) != 0;
  return ~(preempts << kPreemptBit | reserved << kReservationBit |
           tier_bits_[table_.partition[row] + 1] | priorities_[row]);
}

bool StartOrder::KeyedBefore(const KeyedRow& a, const KeyedRow& b) const {
  if (a.key != b.key) return a.key < b.key;
  const int64_t submit_a = table_.submit_us[a.row];
  const int64_t submit_b = table_.submit_us[b.row];
  if (submit_a != submit_b) return submit_a < submit_b;
  const uint32_t job_a = table_.job[a.row];
  const uint32_t job_b = table_.job[b.row];
  if (job_a == job_b) return a.row < b.row;
  return CompareJobIds(table_.job_id[job_a], table_.job_id[job_b]) < 0;
}

bool StartOrder::Before(uint32_t a, uint32_t b) const {
  return KeyedBefore({Key(a), a}, {Key(b), b});
}

void StartOrder::FindBestRows() {
  best_row_.assign(table_.jobs(), 0);
  for (size_t job = 0; job < table_.jobs(); ++job) {
    uint64_t best = 0;
    bool found = false;
    for (uint32_t row = table_.first_row[job]; row < table_.first_row[job + 1]; ++row) {
      if (!Ranked(row)) continue;
      const uint64_t key = Key(row);
      if (found && key >= best) continue;
      found = true;
      best = key;
      best_row_[job] = row;
    }
  }
}

std::vector<uint32_t> StartOrder::Top(size_t limit, bool best_only, size_t* total) const {
  // Rows are gathered until there are twice the limit, then cut back to it;
  // what is behind the last one kept need not be looked at again.
  const size_t capacity = limit < table_.rows() / 2 ? std::max<size_t>(2 * limit, 1024) : SIZE_MAX;
  std::vector<KeyedRow> rows;
  rows.reserve(std::min(capacity, table_.rows()));
  uint64_t last_key = UINT64_MAX;
  size_t ranked = 0;
  for (uint32_t row = 0; row < table_.rows(); ++row) {
    if (!Ranked(row) || (best_only && !BestOfJob(row))) continue;
    ++ranked;
    const uint64_t key = Key(row);
    if (key > last_key) continue;
    rows.push_back({key, row});
    if (rows.size() < capacity) continue;
    Keep(limit, rows);
    last_key = limit == 0 ? 0 : rows[limit - 1].key;
  }
  if (total != nullptr) *total = ranked;
  Keep(limit, rows);
  Sort(rows);
  std::vector<uint32_t> order;
  order.reserve(rows.size());
  for (const KeyedRow& row : rows) order.push_back(row.row);
  return order;
}

void StartOrder::Keep(size_t limit, std::vector<KeyedRow>& rows) const {
  if (rows.size() <= limit) return;
  if (limit > 0) {
    std::nth_element(rows.begin(), rows.begin() + (limit - 1), rows.end(),
                     [this](const KeyedRow& a, const KeyedRow& b) { return KeyedBefore(a, b); });
  }
  rows.resize(limit);
}

void StartOrder::Sort(std::vector<KeyedRow>& rows) const {
  if (rows.size() < kRadixFrom) {
    std::sort(rows.begin(), rows.end(),
              [this](const KeyedRow& a, const KeyedRow& b) { return KeyedBefore(a, b); });
    return;
  }
  RadixSort(rows);
  const absl::Span<KeyedRow> all = absl::MakeSpan(rows);
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].key == rows[begin].key) ++end;
    if (end - begin > 1) SortTies(all.subspan(begin, end - begin));
  }
}

void StartOrder::SortTies(absl::Span<KeyedRow> run) const {
  if (run.size() < kPrefixFrom) {
    std::sort(run.begin(), run.end(),
              [this](const KeyedRow& a, const KeyedRow& b) { return KeyedBefore(a, b); });
    return;
  }
  struct Tie {
    int64_t submit_us;
    uint64_t id_prefix;
    KeyedRow row;
  };
  std::vector<Tie> ties;
  ties.reserve(run.size());
  for (const KeyedRow& row : run) {
    ties.push_back(
        {table_.submit_us[row.row], JobIdPrefix(table_.job_id[table_.job[row.row]]), row});
  }
  std::sort(ties.begin(), ties.end(), [this](const Tie& a, const Tie& b) {
    if (a.submit_us != b.submit_us) return a.submit_us < b.submit_us;
    if (a.id_prefix != b.id_prefix) return a.id_prefix < b.id_prefix;
    return KeyedBefore(a.row, b.row);
  });
  std::transform(ties.begin(), ties.end(), run.begin(), [](const Tie& tie) { return tie.row; });
}

}  // namespace priorityd
