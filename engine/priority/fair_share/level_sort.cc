#include "engine/priority/fair_share/level_sort.h"

#include <algorithm>
#include <array>

namespace priorityd::priority {
namespace {

constexpr size_t kFewItems = 48;
constexpr int kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;
// Up to this number, items with equal leading digits are sorted by insertion.
constexpr size_t kShortRun = 16;

bool ByKey(const LevelItem& a, const LevelItem& b) { return a.key < b.key; }

void InsertionSort(absl::Span<LevelItem> items) {
  for (size_t i = 1; i < items.size(); ++i) {
    const LevelItem item = items[i];
    size_t j = i;
    for (; j > 0 && item.key < items[j - 1].key; --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

// One stable pass of a counting sort by the digit at `shift`.
void Scatter(absl::Span<const LevelItem> from, int shift, LevelItem* to) {
  std::array<uint32_t, kDigits> next = {};
  for (const LevelItem& item : from) ++next[(item.key >> shift) & (kDigits - 1)];
  uint32_t sum = 0;
  for (uint32_t& count : next) {
    const uint32_t n = count;
    count = sum;
    sum += n;
  }
  for (const LevelItem& item : from) to[next[(item.key >> shift) & (kDigits - 1)]++] = item;
}

// Sorts each run of items whose keys agree above `shift`.
void SortRuns(absl::Span<LevelItem> items, int shift) {
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin + 1;
    while (end < items.size() && items[end].key >> shift == items[begin].key >> shift) ++end;
    const absl::Span<LevelItem> run = items.subspan(begin, end - begin);
    if (run.size() <= kShortRun) {
      InsertionSort(run);
    } else if (!std::is_sorted(run.begin(), run.end(), ByKey)) {
      std::sort(run.begin(), run.end(), ByKey);
    }
    begin = end;
  }
}

// The number of leading digits that distinguish nearly all of `n` ordinary values. It is even, so
// that the items end in the array in which they began.
int PassesFor(size_t n) { return n <= 4096 ? 2 : 4; }

// The number of low bits that the passes ignore: they begin at the highest bit in which the items
// differ.
int LowBitsLeft(absl::Span<const LevelItem> items, int passes) {
  uint64_t differing = 0;
  for (const LevelItem& item : items) differing |= item.key ^ items[0].key;
  return std::max(0, 64 - std::countl_zero(differing) - passes * kDigitBits);
}

}  // namespace

void SortLevel(absl::Span<LevelItem> items, std::vector<LevelItem>* scratch) {
  if (std::is_sorted(items.begin(), items.end(), ByKey)) return;
  if (items.size() <= kFewItems) {
    InsertionSort(items);
    return;
  }
  const int passes = PassesFor(items.size());
  const int low_bits = LowBitsLeft(items, passes);
  if (scratch->size() < items.size()) scratch->resize(items.size());
  for (int pass = 0; pass < passes; pass += 2) {
    const int shift = low_bits + pass * kDigitBits;
    Scatter(items, shift, scratch->data());
    Scatter(absl::MakeConstSpan(*scratch).first(items.size()), shift + kDigitBits, items.data());
  }
  SortRuns(items, low_bits);
}

}  // namespace priorityd::priority
