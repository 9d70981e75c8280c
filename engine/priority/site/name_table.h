// Interned names: each distinct name is stored once, a reference to it takes four bytes.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_NAME_TABLE_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_NAME_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace priorityd::priority {

// Index of an interned name; 0 is the empty name.
using NameId = uint32_t;

// Movable. Views of names stay valid when the table is moved, but not when it grows.
// Thread-compatible.
class NameTable {
 public:
  NameTable();

  NameId Intern(absl::string_view name);
  std::optional<NameId> Find(absl::string_view name) const;
  absl::string_view operator[](NameId id) const { return text_->Name(id); }

  // The ids are 0 to size() - 1.
  NameId size() const { return static_cast<NameId>(text_->ends.size()); }

  // Releases the memory that was reserved for more names.
  void ShrinkToFit();

  // Whether both have the same names under the same ids.
  friend bool operator==(const NameTable& a, const NameTable& b) {
    return a.text_->ends == b.text_->ends && a.text_->chars == b.text_->chars;
  }
  size_t Hash() const { return absl::HashOf(text_->chars, text_->ends.size()); }

 private:
  // All names, one after another.
  struct Text {
    std::string chars;
    std::vector<uint32_t> ends;  // 4 GiB hold the names of at least 16 million associations.

    absl::string_view Name(NameId id) const {
      const uint32_t begin = id == 0 ? 0 : ends[id - 1];
      return absl::string_view(chars).substr(begin, ends[id] - begin);
    }
  };
  // Ids hash and compare as their names do, so that the set stores four bytes per name and can be
  // searched by name.
  struct HashOfName {
    using is_transparent = void;
    size_t operator()(absl::string_view name) const { return absl::HashOf(name); }
    size_t operator()(NameId id) const { return absl::HashOf(text->Name(id)); }
    const Text* text;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(NameId a, NameId b) const { return a == b; }
    bool operator()(NameId a, absl::string_view b) const { return text->Name(a) == b; }
    bool operator()(absl::string_view a, NameId b) const { return text->Name(b) == a; }
    const Text* text;
  };

  std::unique_ptr<Text> text_;
  absl::flat_hash_set<NameId, HashOfName, Equal> ids_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_NAME_TABLE_H_
