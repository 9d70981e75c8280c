#include "client/slurm/tables/sshare_json.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace priorityd::tables {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

// Null = none.
const Value* Member(const Struct& object, const char* name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? nullptr : &found->second;
}

std::string TextOf(const Struct& object, const char* name) {
  const Value* member = Member(object, name);
  return member == nullptr ? "" : member->string_value();
}

// `["USER"]`, of the newest parser `"USER"`.
bool IsUser(const Struct& row) {
  const Value* type = Member(row, "type");
  if (type == nullptr) return false;
  if (type->has_string_value()) return type->string_value() == "USER";
  for (const Value& word : type->list_value().values()) {
    if (word.string_value() == "USER") return true;
  }
  return false;
}

// The rows of the table, with accounts by their place in the tree.
class Writer {
 public:
  explicit Writer(std::string name) : name_(std::move(name)) {}

  absl::Status Add(size_t number, const Struct& row) {
    const std::string name = TextOf(row, "name");
    const std::string parent = TextOf(row, "parent");
    const Value* usage = Member(row, "usage");
    const bool is_user = IsUser(row);
    const std::string partition = TextOf(row, "partition");
    const std::string cluster = TextOf(row, "cluster");
    if (name.empty()) return Violation(number, "name: got \"\", want a name");
    if (usage == nullptr || !usage->has_number_value() || !std::isfinite(usage->number_value())) {
      return Violation(number, "usage: want a number");
    }
    const auto above = depths_.find(parent);
    if (above == depths_.end() && !parent.empty() && !depths_.empty()) {
      return Violation(number,
                       absl::StrCat("parent: got \"", parent, "\", want an account before"));
    }
    const size_t depth = above == depths_.end() ? 0 : above->second + 1;
    if (!is_user) depths_[name] = depth;
    const std::string cells = absl::StrCat(
        std::string(depth, ' '), is_user ? parent : name, "|", is_user ? name : "", "|", partition,
        "|", absl::StrFormat("%.17g", usage->number_value()), "|", cluster);
    if (cells.find_first_of("\r\n") != std::string::npos || Bars(cells) != 4) {
      return Violation(number, "got | or a line break in a name, want none");
    }
    absl::StrAppend(&text_, cells, "\n");
    return absl::OkStatus();
  }

  std::string Take() && { return std::move(text_); }

 private:
  static size_t Bars(const std::string& text) {
    size_t bars = 0;
    for (const char c : text) bars += c == '|' ? 1 : 0;
    return bars;
  }

  absl::Status Violation(size_t number, absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, " shares[", number, "]: ", message));
  }

  const std::string name_;
  std::string text_ = "Account|User|Partition|RawUsage|Cluster\n";
  std::map<std::string, size_t> depths_;  // Of accounts.
};

}  // namespace

absl::StatusOr<std::string> SshareTableOfJson(const std::string& name, absl::string_view content) {
  absl::ConsumePrefix(&content, "\xEF\xBB\xBF");
  Struct document;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage({content.data(), content.size()}, &document);
  const Value* outer = Member(document, "shares");
  const Value* rows = outer == nullptr ? nullptr : Member(outer->struct_value(), "shares");
  if (!parsed.ok() || rows == nullptr || !rows->has_list_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     ": got no JSON document with a list `shares.shares`, want what `sshare -a "
                     "--json` prints"));
  }
  Writer writer(name);
  for (size_t i = 0; i < static_cast<size_t>(rows->list_value().values_size()); ++i) {
    const absl::Status added =
        writer.Add(i, rows->list_value().values(static_cast<int>(i)).struct_value());
    if (!added.ok()) return added;
  }
  return std::move(writer).Take();
}

}  // namespace priorityd::tables
