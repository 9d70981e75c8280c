// Interned names: each distinct name once, four bytes wherever it is used.
#ifndef PRIORITYD_SERVER_PRIORITY_NAME_TABLE_H_
#define PRIORITYD_SERVER_PRIORITY_NAME_TABLE_H_

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

// Movable; views of names stay valid when the table moves, not when it grows.
// Thread-compatible.
class NameTable {
 public:
  NameTable();

  NameId Intern(absl::string_view name);
  std::optional<NameId> Find(absl::string_view name) const;
  absl::string_view operator[](NameId id) const { return text_->Name(id); }

  // The ids are those below it.
  NameId size() const { return static_cast<NameId>(text_->ends.size()); }

  // Gives back the room that was kept for more names.
  void ShrinkToFit();

  // The same names by the same ids.
  friend bool operator==(const NameTable& a, const NameTable& b) {
    return a.text_->ends == b.text_->ends && a.text_->chars == b.text_->chars;
  }
  size_t Hash() const { return absl::HashOf(text_->chars, text_->ends.size()); }

 private:
  // All names, one after another.
  struct Text {
    std::string chars;
    std::vector<uint32_t> ends;  // 4 GiB are names of 16 million associations at least.

    absl::string_view Name(NameId id) const {
      const uint32_t begin = id == 0 ? 0 : ends[id - 1];
      return absl::string_view(chars).substr(begin, ends[id] - begin);
    }
  };
  // Ids are hashed and compared as the names they stand for, so the set holds
  // four bytes per name and is searched by name.
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

#endif  // PRIORITYD_SERVER_PRIORITY_NAME_TABLE_H_
