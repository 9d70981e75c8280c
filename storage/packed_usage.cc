#include "storage/packed_usage.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {
namespace {

constexpr size_t kPartBytes = 256 << 10;
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
  for (int i = 0; i < 8; ++i) to->push_back(static_cast<char>(bits >> 8 * i));
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

std::string ContentOf(const UsageRow& row) {
  std::string content;
  AddDouble(row.value, &content);
  AddDouble(row.wall_seconds, &content);
  AddTime(row.as_of, &content);
  for (const TresAmount& tres : row.tres_seconds) {
    AddVarint(static_cast<uint32_t>(tres.tres_id), &content);
    AddDouble(tres.amount, &content);
  }
  return content;
}

std::string ContentOf(const OpeningUsage& opening) {
  std::string content;
  AddDouble(opening.value, &content);
  AddTime(opening.as_of, &content);
  return content;
}

std::string ContentOf(const Association& deleted) {
  std::string content;
  AddVarint(static_cast<uint64_t>(deleted.parent_id.value_or(0)), &content);
  return content;
}

void Decode(Bytes& bytes, UsageRow* row) {
  row->value = bytes.Double();
  row->wall_seconds = bytes.Double();
  row->as_of = bytes.Time();
  while (!bytes.empty()) {
    const auto tres_id = static_cast<int32_t>(bytes.Varint());
    row->tres_seconds.push_back({tres_id, bytes.Double()});
  }
}

void Decode(Bytes& bytes, OpeningUsage* opening) {
  opening->value = bytes.Double();
  opening->as_of = bytes.Time();
}

void Decode(Bytes& bytes, Association* deleted) {
  deleted->parent_id = static_cast<int64_t>(bytes.Varint());
}

// Takes every entry there is, by key, and keeps those that are not as published.
class Packer {
 public:
  explicit Packer(const EntryHashes& published) : next_(published.begin()), end_(published.end()) {}

  void Add(uint64_t key, const std::string& content) {
    TakeOutUpTo(key);
    const uint64_t hash = absl::HashOf(absl::string_view(content));
    packed_.hashes.push_back({key, hash});
    const bool there = next_ != end_ && next_->key == key;
    const bool same = there && next_->hash == hash;
    if (there) ++next_;
    if (!same) Write(key, content);
  }

  PackedUsage Finish() && {
    TakeOutUpTo(~uint64_t{0});
    return std::move(packed_);
  }

 private:
  // What was published and is not there before `key`.
  void TakeOutUpTo(uint64_t key) {
    for (; next_ != end_ && next_->key < key; ++next_) Write(next_->key, "");
  }

  void Write(uint64_t key, absl::string_view content) {
    if (packed_.parts.empty() || packed_.parts.back().size() >= kPartBytes) {
      packed_.parts.emplace_back();
      last_key_ = 0;
    }
    std::string& part = packed_.parts.back();
    AddVarint(key - last_key_, &part);
    AddVarint(content.size(), &part);
    part.append(content.data(), content.size());
    last_key_ = key;
    ++packed_.entries;
  }

  EntryHashes::const_iterator next_;
  const EntryHashes::const_iterator end_;
  uint64_t last_key_ = 0;
  PackedUsage packed_;
};

// The last content of each entry, '' = gone; views of the parts.
using Contents = absl::btree_map<uint64_t, absl::string_view>;

absl::Status Broken() { return absl::InternalError("published usage: got bytes that are no part"); }

absl::Status Read(absl::Span<const std::string> parts, Contents* contents) {
  for (const std::string& part : parts) {
    Bytes bytes(part);
    for (uint64_t key = 0; !bytes.empty();) {
      key += bytes.Varint();
      const absl::string_view content = bytes.Take(bytes.Varint());
      if (bytes.ok()) (*contents)[key] = content;
    }
    if (!bytes.ok()) return Broken();
  }
  return absl::OkStatus();
}

// Puts the entries of one kind among `rows`, both by id.
template <typename Row>
absl::Status Merge(const Contents& contents, Kind kind, int64_t Row::*id, std::vector<Row>* rows) {
  const auto begin = contents.lower_bound(KeyOf(kind, 0));
  const auto end = contents.lower_bound(KeyOf(static_cast<Kind>(kind + 1), 0));
  if (begin == end) return absl::OkStatus();
  std::vector<Row> merged;
  auto old = rows->begin();
  for (auto entry = begin; entry != end; ++entry) {
    const int64_t changed = IdOf(entry->first);
    for (; old != rows->end() && (*old).*id < changed; ++old) merged.push_back(std::move(*old));
    if (old != rows->end() && (*old).*id == changed) ++old;
    if (entry->second.empty()) continue;
    Bytes bytes(entry->second);
    Row& row = merged.emplace_back();
    row.*id = changed;
    Decode(bytes, &row);
    if (!bytes.ok() || !bytes.empty()) return Broken();
  }
  std::move(old, rows->end(), std::back_inserter(merged));
  *rows = std::move(merged);
  return absl::OkStatus();
}

}  // namespace

PackedUsage PackUsage(const ClusterState& state, const EntryHashes& published) {
  Packer packer(published);
  for (const UsageRow& row : state.association_usage) {
    if (row.as_of != absl::InfinitePast()) packer.Add(KeyOf(kUsage, row.id), ContentOf(row));
  }
  for (const OpeningUsage& opening : state.opening_usage) {
    packer.Add(KeyOf(kOpening, opening.association_id), ContentOf(opening));
  }
  for (const Association& deleted : state.deleted_associations) {
    packer.Add(KeyOf(kParent, deleted.id), ContentOf(deleted));
  }
  return std::move(packer).Finish();
}

absl::Status ApplyUsage(absl::Span<const std::string> parts, ClusterState* state) {
  Contents contents;
  absl::Status status = Read(parts, &contents);
  if (status.ok()) status = Merge(contents, kUsage, &UsageRow::id, &state->association_usage);
  if (status.ok()) {
    status = Merge(contents, kOpening, &OpeningUsage::association_id, &state->opening_usage);
  }
  if (status.ok()) {
    status = Merge(contents, kParent, &Association::id, &state->deleted_associations);
  }
  return status;
}

absl::Status ApplyUsage(absl::Span<const std::string> parts, EntryHashes* hashes) {
  Contents contents;
  if (absl::Status status = Read(parts, &contents); !status.ok()) return status;
  absl::btree_map<uint64_t, uint64_t> all;
  for (const EntryHash& entry : *hashes) all[entry.key] = entry.hash;
  for (const auto& [key, content] : contents) {
    if (content.empty()) {
      all.erase(key);
    } else {
      all[key] = absl::HashOf(content);
    }
  }
  hashes->clear();
  for (const auto& [key, hash] : all) hashes->push_back({key, hash});
  return absl::OkStatus();
}

}  // namespace priorityd::storage
