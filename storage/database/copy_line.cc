#include "storage/database/copy_line.h"

namespace priorityd::storage {
namespace {

// The letter that stands for `c` after a backslash, 0 if `c` stands for itself.
char EscapeOf(char c) {
  switch (c) {
    case '\\':
      return '\\';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

}  // namespace

void CopyLine::Separate() {
  if (!empty_) text_.push_back('\t');
  empty_ = false;
}

void CopyLine::AddNull() {
  Separate();
  text_.append("\\N");
}

void CopyLine::Add(absl::string_view text) {
  Separate();
  for (const char c : text) {
    const char escape = EscapeOf(c);
    if (escape != 0) text_.push_back('\\');
    text_.push_back(escape != 0 ? escape : c);
  }
}

}  // namespace priorityd::storage
