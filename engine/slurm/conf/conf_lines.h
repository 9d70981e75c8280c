// Splits a line of slurm.conf into key=value pairs.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_CONF_LINES_H_
#define PRIORITYD_ENGINE_SLURM_CONF_CONF_LINES_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// Whether the value is `(null)`, which Slurm's tools print for unset values.
bool IsNull(absl::string_view value);

// A place in a file.
struct ConfPlace {
  const SourceFile* file = nullptr;
  int line = 0;

  // `slurm.conf line 14`.
  std::string Where() const;
};

// One key=value: the value without its quotes and escapes.
struct ConfPair {
  std::string key;  // As written.
  std::string value;
  ConfPlace place;
};

// A line with its continuations. A value is enclosed in double quotes, the second of which is
// followed by a blank or the end; otherwise it extends to the next blank and includes any quotes.
// An operator before the = (`+=`) is ignored. A non-empty `violation` says why the text after the
// pairs is not a pair; it matters only for lines that priorityd uses.
struct ConfLine {
  std::vector<ConfPair> pairs;
  ConfPlace place;
  std::string violation;
  ConfPlace violation_place;
};

// The offset in a logical line at which a physical line begins.
struct LineStart {
  size_t offset = 0;
  int line = 0;
};

// Splits a logical line of `file`. REQUIRES: `starts` is ascending and begins with offset 0.
ConfLine SplitConfLine(absl::string_view text, const SourceFile& file,
                       absl::Span<const LineStart> starts);

// The pairs of a NodeName, NodeSet or PartitionName line by lower-case key, combined with those of
// the DEFAULT lines before it. Cheap to copy.
class ConfRecord {
 public:
  // The pair of a key given in lower case; null = none.
  const ConfPair* Find(absl::string_view lower_key) const;
  // Of all values, shared ones too: readers copy them.
  size_t bytes() const;
  // Sets the pairs of these keys (lower case) from the line, replacing existing ones; `(null)`
  // removes an existing pair. A key that is repeated in the line goes to `warnings`.
  void Merge(const ConfLine& line, absl::Span<const absl::string_view> lower_keys,
             std::vector<std::string>& warnings);

 private:
  absl::flat_hash_map<std::string, std::shared_ptr<const ConfPair>> pairs_;
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_CONF_LINES_H_
