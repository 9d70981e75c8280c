#include "storage/snapshots/packed_usage.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {
namespace {

constexpr size_t kPartBytes = 256 << 10;
constexpr size_t kLeastTresBytes = 9;
constexpr int kKindShift = 60;
enum Kind : uint64_t { kUsage = 1, kOpening = 2, kParent = 3 };

uint64_t KeyOf(Kind kind, int64_t id) {
  return uint64_t{kind} << kKindShift | static_cast<uint64_t>(id);
}
int64_t IdOf(uint64_t key) { return static_cast<int64_t>(key & ((uint64_t{1} << kKindShift) - 1)); }

void AddVarint(uint64_t value, std::string* to) {
  for (; value >= 0x80; value >>= 7) to->push_back(static_cast<char>(value | 0x80));
  to->push_back(static_cast<char>(value));
}

void AddDouble(double value, std::string* to) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  char bytes[sizeof(bits)];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> 8 * i);
  to->append(bytes, sizeof(bytes));
}

void AddTime(absl::Time time, std::string* to) {
  const int64_t micros = absl::ToUnixMicros(time);
  AddVarint(static_cast<uint64_t>(micros) << 1 ^ static_cast<uint64_t>(micros >> 63), to);
}

// Reads what the above wrote. After the first fault ok() is false and all is 0.
class Bytes {
 public:
  explicit Bytes(absl::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty() || !ok_; }
  size_t size() const { return rest_.size(); }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const absl::string_view byte = Take(1);
      if (byte.empty()) return 0;
      value |= uint64_t{static_cast<uint8_t>(byte[0]) & 0x7fu} << shift;
      if ((byte[0] & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  double Double() {
    const absl::string_view bytes = Take(8);
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      bits |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  absl::Time Time() {
    const uint64_t zigzag = Varint();
    return absl::FromUnixMicros(static_cast<int64_t>(zigzag >> 1 ^ (~(zigzag & 1) + 1)));
  }
  absl::string_view Take(size_t size) {
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return "";
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  absl::string_view rest_;
  bool ok_ = true;
};

void Encode(const UsageRow& row, std::string* content) {
  AddDouble(row.value, content);
  AddDouble(row.wall_seconds, content);
  AddTime(row.as_of, content);
  for (const TresAmount& tres : row.tres_seconds) {
    AddVarint(static_cast<uint32_t>(tres.tres_id), content);
    AddDouble(tres.amount, content);
  }
}

void Encode(const OpeningUsage& opening, std::string* content) {
  AddDouble(opening.value, content);
  AddTime(opening.as_of, content);
}

void Encode(const Association& deleted, std::string* content) {
  AddVarint(static_cast<uint64_t>(deleted.parent_id.value_or(0)), content);
}

void DecodePackedUsage(Bytes& bytes, UsageRow* row) {
  row->value = bytes.Double();
  row->wall_seconds = bytes.Double();
  row->as_of = bytes.Time();
  row->tres_seconds.reserve(bytes.size() / kLeastTresBytes);
  while (!bytes.empty()) {
    const auto tres_id = static_cast<int32_t>(bytes.Varint());
    row->tres_seconds.push_back({tres_id, bytes.Double()});
  }
}

void DecodePackedUsage(Bytes& bytes, OpeningUsage* opening) {
  opening->value = bytes.Double();
  opening->as_of = bytes.Time();
}

void DecodePackedUsage(Bytes& bytes, Association* deleted) {
  deleted->parent_id = static_cast<int64_t>(bytes.Varint());
}

class PartWriter {
 public:
  // Keys ascend.
  void Write(uint64_t key, absl::string_view content) {
    if (parts_.empty() || parts_.back().size() >= kPartBytes) {
      parts_.emplace_back();
      last_key_ = 0;
    }
    std::string& part = parts_.back();
    AddVarint(key - last_key_, &part);
    AddVarint(content.size(), &part);
    part.append(content.data(), content.size());
    last_key_ = key;
  }

  std::vector<std::string> Finish() && { return std::move(parts_); }

 private:
  std::vector<std::string> parts_;
  uint64_t last_key_ = 0;
};

// Takes every entry there is, by key, and finds those that are not as published.
class Packer {
 public:
  explicit Packer(const EntryHashes& published) : next_(published.begin()), end_(published.end()) {}

  void Add(uint64_t key, absl::string_view content) {
    TakeOutUpTo(key);
    const uint64_t hash = absl::HashOf(content);
    packed_.hashes.push_back({key, hash});
    whole_.Write(key, content);
    const bool there = next_ != end_ && next_->key == key;
    const bool same = there && next_->hash == hash;
    if (there) ++next_;
    if (!same) WriteChange(key, content);
  }

  PackedUsage Finish() && {
    TakeOutUpTo(~uint64_t{0});
    packed_.parts = std::move(changes_).Finish();
    packed_.whole = std::move(whole_).Finish();
    return std::move(packed_);
  }

 private:
  // Removes published rows before `key` that no longer exist.
  void TakeOutUpTo(uint64_t key) {
    for (; next_ != end_ && next_->key < key; ++next_) WriteChange(next_->key, "");
  }

  void WriteChange(uint64_t key, absl::string_view content) {
    changes_.Write(key, content);
    ++packed_.entries;
  }

  EntryHashes::const_iterator next_;
  const EntryHashes::const_iterator end_;
  PartWriter changes_, whole_;
  PackedUsage packed_;
};

// Calls `take` with the key and content of each entry, ascending.
template <typename Take>
void ForEachEntry(const ClusterState& state, Take take) {
  std::string content;
  const auto encode = [&](Kind kind, int64_t id, const auto& row) {
    content.clear();
    Encode(row, &content);
    take(KeyOf(kind, id), absl::string_view(content));
  };
  for (const UsageRow& row : state.association_usage) {
    if (row.as_of != absl::InfinitePast()) encode(kUsage, row.id, row);
  }
  for (const OpeningUsage& opening : state.opening_usage) {
    encode(kOpening, opening.association_id, opening);
  }
  for (const Association& deleted : state.deleted_associations) {
    encode(kParent, deleted.id, deleted);
  }
}

struct Entry {
  uint64_t key = 0;
  absl::string_view content;  // '' = gone.
};
// Ascending by key; views of the parts.
using Contents = std::vector<Entry>;

absl::Status Broken() { return absl::InternalError("published usage: got bytes that are no part"); }

// Keeps the last content of each entry.
void KeepLast(Contents* contents) {
  const auto is_in_order = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  const auto is_same = [](const Entry& a, const Entry& b) { return a.key == b.key; };
  // As in the parts of a whole.
  if (absl::c_adjacent_find(*contents, std::not_fn(is_in_order)) == contents->end()) return;
  absl::c_stable_sort(*contents, is_in_order);
  const auto kept = std::unique(contents->rbegin(), contents->rend(), is_same);
  contents->erase(contents->begin(), kept.base());
}

absl::StatusOr<Contents> Read(absl::Span<const std::string> parts) {
  Contents contents;
  for (const std::string& part : parts) {
    Bytes bytes(part);
    for (uint64_t key = 0; !bytes.empty();) {
      key += bytes.Varint();
      contents.push_back({key, bytes.Take(bytes.Varint())});
    }
    if (!bytes.ok()) return Broken();
  }
  KeepLast(&contents);
  return contents;
}

// Puts the entries of one kind among `rows`, both by id.
template <typename Row>
absl::Status MergePackedUsage(const Contents& contents, Kind kind, int64_t Row::*id,
                              std::vector<Row>* rows) {
  const auto find = [&](int of) {
    return absl::c_lower_bound(contents, KeyOf(static_cast<Kind>(of), 0),
                               [](const Entry& entry, uint64_t key) { return entry.key < key; });
  };
  const auto begin = find(kind);
  const auto end = find(kind + 1);
  if (begin == end) return absl::OkStatus();
  std::vector<Row> merged;
  merged.reserve(rows->size() + static_cast<size_t>(end - begin));
  auto old = rows->begin();
  for (auto entry = begin; entry != end; ++entry) {
    const int64_t changed = IdOf(entry->key);
    for (; old != rows->end() && (*old).*id < changed; ++old) merged.push_back(std::move(*old));
    if (old != rows->end() && (*old).*id == changed) ++old;
    if (entry->content.empty()) continue;
    Bytes bytes(entry->content);
    Row& row = merged.emplace_back();
    row.*id = changed;
    DecodePackedUsage(bytes, &row);
    if (!bytes.ok() || !bytes.empty()) return Broken();
  }
  std::move(old, rows->end(), std::back_inserter(merged));
  *rows = std::move(merged);
  return absl::OkStatus();
}

}  // namespace

PackedUsage PackUsage(const ClusterState& state, const EntryHashes& published) {
  Packer packer(published);
  ForEachEntry(state, [&](uint64_t key, absl::string_view content) { packer.Add(key, content); });
  return std::move(packer).Finish();
}

std::vector<std::string> PackWhole(const ClusterState& state) {
  PartWriter writer;
  ForEachEntry(state, [&](uint64_t key, absl::string_view content) { writer.Write(key, content); });
  return std::move(writer).Finish();
}

absl::Status ApplyUsage(absl::Span<const std::string> parts, ClusterState* state) {
  const auto contents = Read(parts);
  if (!contents.ok()) return contents.status();
  absl::Status status =
      MergePackedUsage(*contents, kUsage, &UsageRow::id, &state->association_usage);
  if (status.ok()) {
    status =
        MergePackedUsage(*contents, kOpening, &OpeningUsage::association_id, &state->opening_usage);
  }
  if (status.ok()) {
    status = MergePackedUsage(*contents, kParent, &Association::id, &state->deleted_associations);
  }
  return status;
}

absl::Status ApplyUsage(absl::Span<const std::string> parts, EntryHashes* hashes) {
  const auto contents = Read(parts);
  if (!contents.ok()) return contents.status();
  EntryHashes all;
  all.reserve(hashes->size() + contents->size());
  auto old = hashes->cbegin();
  for (const auto& [key, content] : *contents) {
    for (; old != hashes->cend() && old->key < key; ++old) all.push_back(*old);
    if (old != hashes->cend() && old->key == key) ++old;
    if (!content.empty()) all.push_back({key, absl::HashOf(content)});
  }
  all.insert(all.end(), old, hashes->cend());
  *hashes = std::move(all);
  return absl::OkStatus();
}

}  // namespace priorityd::storage
