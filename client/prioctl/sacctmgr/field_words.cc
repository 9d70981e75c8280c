#include "client/prioctl/sacctmgr/field_words.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::sacctmgr {
namespace {

// A field of requests, by what stands before and behind its `[1]`, and the word it is typed by.
struct FieldWord {
  absl::string_view list;
  absl::string_view member;
  absl::string_view word;
};

constexpr FieldWord kFieldWords[] = {{"associations", ".parent_account", "parent"},
                                     {"associations", ".account", "account"},
                                     {"associations", ".user", "user"},
                                     {"associations", ".partition", "partition"},
                                     {"where.accounts", "", "account"},
                                     {"where.users", "", "user"},
                                     {"where.names", "", "user"},
                                     {"where.partitions", "", "partition"},
                                     {"where.parents", "", "parent"},
                                     {"where.default_accounts", "", "defaultaccount"},
                                     {"where.admin_levels", "", "adminlevel"},
                                     {"where.qos", "", "qos"},
                                     {"where.default_qos", "", "defaultqos"},
                                     {"names", "", "name"}};

}  // namespace

std::string FieldsInWords(std::string text) {
  for (const FieldWord& field : kFieldWords) {
    const std::string begin = absl::StrCat(field.list, "[");
    for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
      const size_t end = text.find(']', at);
      if (end == text.npos || !absl::StartsWith(text.substr(end + 1), field.member)) continue;
      text.replace(at, end + 1 + field.member.size() - at, std::string(field.word));
    }
  }
  return text;
}

}  // namespace priorityd::sacctmgr
