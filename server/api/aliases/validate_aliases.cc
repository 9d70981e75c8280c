#include "server/api/aliases/validate_aliases.h"

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxAliasesOfRequest = 1000;
constexpr size_t kMaxAliasBytes = 256;

using AliasMessages = google::protobuf::RepeatedPtrField<v1::UserAlias>;

void CheckAlias(const std::string& field, const v1::UserAlias& alias,
                RequestViolations* violations) {
  violations->CheckText(field + ".source", alias.source(), kMaxAliasBytes);
  violations->CheckText(field + ".alias", alias.alias(), kMaxAliasBytes);
  violations->CheckText(field + ".user", alias.user(), errors::kMaxNameBytes);
  if (alias.alias().empty()) violations->Add(field + ".alias", "got none, want one");
}

// The aliases of one field; each may be in it once.
void CheckAliases(const std::string& field, const AliasMessages& aliases,
                  RequestViolations* violations) {
  std::set<std::pair<std::string, std::string>> seen;
  for (int i = 0; i < aliases.size(); ++i) {
    const std::string path = absl::StrCat(field, "[", i, "]");
    CheckAlias(path, aliases[i], violations);
    if (seen.emplace(aliases[i].source(), aliases[i].alias()).second) continue;
    violations->Add(path, "got an alias twice, want it once");
  }
}

// Of UTF-8 text: U+0000 to U+001F and U+007F to U+009F.
bool HasControl(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F || is_c1) return true;
  }
  return false;
}

void CheckNoControls(const AliasMessages& add, RequestViolations* violations) {
  for (int i = 0; i < add.size(); ++i) {
    if (!HasControl(add[i].alias())) continue;
    violations->Add(absl::StrCat("add[", i, "].alias"),
                    "got a name with control characters, want one without");
  }
}

void CheckUsers(const AliasMessages& add, RequestViolations* violations) {
  for (int i = 0; i < add.size(); ++i) {
    const std::string path = absl::StrCat("add[", i, "].user");
    if (add[i].user().empty()) {
      violations->Add(path, "got none, want one");
    } else if (add[i].user() == add[i].alias()) {
      violations->Add(path, "got the alias, want another name");
    }
  }
}

void CheckUserName(const std::string& field, const std::string& name,
                   RequestViolations* violations) {
  violations->CheckText(field, name, errors::kMaxNameBytes);
  if (name.empty()) violations->Add(field, "got none, want one");
}

}  // namespace

absl::Status Validate(const v1::ListAliasesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckTexts("sources", request.sources());
  violations.CheckTexts("users", request.users());
  violations.CheckPage(request);
  return violations.ToStatus();
}

absl::Status Validate(const v1::UpdateAliasesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckOptions(request.options(), &violations);
  const int count = request.remove_size() + request.add_size();
  if (count == 0) violations.Add("add", "got no alias, want at least one in `add` or `remove`");
  violations.CheckCount("add", count, kMaxAliasesOfRequest);
  if (count > kMaxAliasesOfRequest) return violations.ToStatus();
  CheckAliases("remove", request.remove(), &violations);
  CheckAliases("add", request.add(), &violations);
  CheckNoControls(request.add(), &violations);
  CheckUsers(request.add(), &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListUserMergesRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  return violations.ToStatus();
}

absl::Status Validate(const v1::MergeUsersRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckOptions(request.options(), &violations);
  CheckUserName("from_user", request.from_user(), &violations);
  CheckUserName("into_user", request.into_user(), &violations);
  if (!request.from_user().empty() && request.from_user() == request.into_user()) {
    violations.Add("into_user", "got the user to merge, want another one");
  }
  return violations.ToStatus();
}

absl::Status Validate(const v1::UnmergeUsersRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  CheckOptions(request.options(), &violations);
  CheckUserName("from_user", request.from_user(), &violations);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
