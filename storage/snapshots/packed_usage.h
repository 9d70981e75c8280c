// The usage that a snapshot is computed from, packed: as a whole, or what changed since
// another one.
#ifndef STORAGE_SNAPSHOTS_PACKED_USAGE_H_
#define STORAGE_SNAPSHOTS_PACKED_USAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "storage/snapshots/cluster_state.h"

namespace priorityd::storage {

// One entry is a usage row of an association, its opening usage, or the parent of a
// deleted association. Of these fields of a ClusterState the packed form has all that
// decayed usage is made from: association_usage (but for rows without usage),
// opening_usage, and id and parent_id of deleted_associations. Doubles and times come
// back bit for bit.
//
// A part is a sequence of entries, ascending by key:
//   varint  key, as the difference to the one before: kind << 60 | id
//   varint  length of the content; 0 = the entry is gone
//   content: usage    value, wall_seconds (8 bytes each), varint as_of, and of each TRES
//                     varint id, 8 bytes seconds
//            opening  value, varint as_of
//            parent   varint id
// Times are microseconds, zigzag; numbers are little-endian.

// A hash of a published entry, to detect changes. Valid in this process only.
struct EntryHash {
  uint64_t key = 0;
  uint64_t hash = 0;
  bool operator==(const EntryHash&) const = default;
};
// Ascending by key.
using EntryHashes = std::vector<EntryHash>;

struct PackedUsage {
  std::vector<std::string> parts;  // Each of some 256 KiB; none = nothing changed.
  int64_t entries = 0;             // In the parts.
  EntryHashes hashes;              // Of all that is there now.
  std::vector<std::string> whole;  // As PackWhole.
};

// The parts that turn the usage with these hashes into that of `state`; without hashes the whole
// usage. REQUIRES: the lists of `state` are in the order of ids.
PackedUsage PackUsage(const ClusterState& state, const EntryHashes& published);

// The parts that have all usage of `state`. REQUIRES: as PackUsage.
std::vector<std::string> PackWhole(const ClusterState& state);

// Applies parts, in this order, to the fields named above; their order stays. INTERNAL for a
// part that is none: `state` may be half changed then.
absl::Status ApplyUsage(absl::Span<const std::string> parts, ClusterState* state);

// The same for hashes.
absl::Status ApplyUsage(absl::Span<const std::string> parts, EntryHashes* hashes);

}  // namespace priorityd::storage

#endif  // STORAGE_SNAPSHOTS_PACKED_USAGE_H_
