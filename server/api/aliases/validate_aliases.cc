#include "server/api/aliases/validate_aliases.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/administration/changes/alias_change.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxAliasesOfRequest = 1000;

using AliasMessages = google::protobuf::RepeatedPtrField<v1::UserAlias>;

void CheckAlias(const std::string& field, const v1::UserAlias& alias,
                RequestViolations* violations) {
  violations->CheckText(field + ".source", alias.source(), administration::kMaxAliasBytes);
  violations->CheckText(field + ".alias", alias.alias(), administration::kMaxAliasBytes);
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

void CheckAppearances(const AliasMessages& add, RequestViolations* violations) {
  for (int i = 0; i < add.size(); ++i) {
    const storage::UserAlias alias = {
        .source = add[i].source(), .alias = add[i].alias(), .user_name = add[i].user()};
    const auto faults = administration::FaultsOfAlias(alias);
    for (const administration::AliasFault& fault : faults) {
      violations->Add(absl::StrCat("add[", i, "].", fault.field), fault.message);
    }
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
  CheckAppearances(request.add(), &violations);
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
