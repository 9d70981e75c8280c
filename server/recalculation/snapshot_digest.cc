#include "server/recalculation/snapshot_digest.h"

#include <cstring>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::recalculation {
namespace {

class Digest {
 public:
  void Add(uint64_t word) {
    digest_ = (digest_ ^ word) * 0x9e3779b97f4a7c15u;
    digest_ ^= digest_ >> 32;
  }
  void Add(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    Add(bits);
  }
  template <typename T>
  void Add(absl::Span<const T> values) {
    Add(uint64_t{values.size()});
    for (const T& value : values) Add(value);
  }
  void Add(absl::string_view name) {
    for (const char c : name) Add(uint64_t{static_cast<uint8_t>(c)});
  }

  int64_t value() const { return static_cast<int64_t>(digest_); }

 private:
  uint64_t digest_ = 0;
};

}  // namespace

int64_t DigestOf(const priority::Snapshot& snapshot) {
  const priority::FairShare& shares = snapshot.fair_share();
  Digest digest;
  for (const int64_t id : snapshot.tree().id()) digest.Add(static_cast<uint64_t>(id));
  for (const auto* column : {&snapshot.own_usage(), &shares.usage, &shares.norm_usage,
                             &shares.effective_usage, &shares.level_fs, &shares.fair_share}) {
    digest.Add(absl::MakeConstSpan(*column));
  }
  if (snapshot.has_reserve()) digest.Add(absl::MakeConstSpan(snapshot.own_reserve()));
  digest.Add(snapshot.wall_seconds());
  for (const auto& [name, column] : snapshot.tres_usage()) {
    bool any_used = false;
    column.ForEach([&](priority::AssociationIndex i, double seconds) {
      if (!std::exchange(any_used, true)) digest.Add(absl::string_view(name));
      digest.Add(static_cast<uint64_t>(i));
      digest.Add(seconds);
    });
  }
  return digest.value();
}

}  // namespace priorityd::recalculation
