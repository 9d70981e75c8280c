// The configuration that the newest snapshot was computed from.
#ifndef STORAGE_PUBLISHED_H_
#define STORAGE_PUBLISHED_H_

#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {

// Which rows of associations, users, QOS, partitions, half-lives and clusters to
// read.
enum class Edition {
  kCurrent,    // As they are now.
  kPublished,  // As the newest snapshot has them; see ConfigurationStore.
};

// A statement that reads the current edition, made to read `edition`: every
// table has a copy named published_... with the same columns.
inline std::string InEdition(absl::string_view statement, Edition edition) {
  if (edition == Edition::kCurrent) return std::string(statement);
  return absl::StrReplaceAll(statement, {{"FROM priorityd.", "FROM priorityd.published_"}});
}

}  // namespace priorityd::storage

#endif  // STORAGE_PUBLISHED_H_
