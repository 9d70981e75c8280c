// The callers of a cluster with PrivateData, and the rows that each may see.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_VIEWED_ROWS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_VIEWED_ROWS_H_

#include <google/protobuf/repeated_ptr_field.h>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/authorization/private_data.h"
#include "server/authorization/rights_table.h"
#include "server/authorization/visibility.h"

namespace priorityd::rpc {

using Rows = std::set<std::string>;

// A word of PrivateData and what it hides.
struct Word {
  std::string text;
  authorization::PrivateData hidden;
};

inline const std::vector<Word>& Words() {
  static const std::vector<Word> words = {{"none", {}},
                                          {"accounts", {.accounts = true}},
                                          {"events", {.events = true}},
                                          {"jobs", {.jobs = true}},
                                          {"usage", {.usage = true}},
                                          {"users", {.users = true}},
                                          {"cloud,nodes,partitions", {}},
                                          {"reservations", {.reservations = true}},
                                          {"all",
                                           {.accounts = true,
                                            .events = true,
                                            .jobs = true,
                                            .reservations = true,
                                            .usage = true,
                                            .users = true}}};
  return words;
}

// A caller, the roles in the rights table, and the caller's own data.
struct Asker {
  std::string name;
  authorization::RoleSet roles;
  authorization::Viewer viewer;
};

inline std::vector<Asker> Askers() {
  using authorization::Role;
  return {{"amy", {Role::kUser}, {"amy", {"root", "a"}, {}}},
          {"coo", {Role::kUser, Role::kCoordinator}, {"coo", {"root", "a"}, {"a"}}},
          {"cat", {Role::kUser}, {"cat", {"root", "b"}, {}}},
          {"ope", {Role::kUser, Role::kOperator}, {}},
          {"adm", {Role::kUser, Role::kAdministrator}, {}},
          {"frontend", {Role::kFrontend}, {}},
          {"dashboard", {Role::kDashboard}, {}}};
}

inline authorization::Visibility Expected(const authorization::Right& right, const Asker& asker,
                                          const Word& word) {
  if (asker.roles.HasAnyOf(authorization::kSeeAll)) return {};
  return {word.hidden & right.reveals, asker.viewer};
}

inline Rows JobsShown(const authorization::Visibility& sees, bool with_held) {
  Rows rows;
  for (const auto& [job, user, account] : std::vector<std::array<std::string, 3>>{
           {"job-amy", "amy", "a"}, {"job-ben", "ben", "a"}, {"job-cat", "cat", "b"}}) {
    if (sees.SeesJob(user, account)) rows.insert(job);
  }
  if (with_held && sees.SeesJob("ben", "a")) rows.insert("job-held");
  return rows;
}

// Those that PrivateSite::ReservationsOf makes.
inline Rows ReservationsShown(const authorization::Visibility& sees) {
  if (sees.sees_all_reservations()) return {"for-amy", "for-b", "not-for-cat"};
  if (sees.user() == "amy") return {"for-amy", "not-for-cat"};
  if (sees.user() == "cat") return {"for-b"};
  return {"not-for-cat"};
}

// `account/user` of the associations; without those of users who have used nothing if `used`.
inline Rows SharesShown(const authorization::Visibility& sees, bool used) {
  Rows rows;
  for (const auto& [user, account] :
       std::vector<std::pair<std::string, std::string>>{{"amy", "a"}, {"ben", "a"}, {"cat", "b"}}) {
    if (sees.SeesShares(user, account)) rows.insert(absl::StrCat(account, "/", user));
  }
  if (used) return rows;
  for (const char* user : {"ope", "adm", "coo"}) {
    if (sees.SeesShares(user, "a")) rows.insert(absl::StrCat("a/", user));
  }
  for (const char* account : {"root", "a", "b"}) {
    if (sees.SeesShares("", account)) rows.insert(absl::StrCat(account, "/"));
  }
  return rows;
}

template <typename Proto>
Rows JobIds(const google::protobuf::RepeatedPtrField<Proto>& rows) {
  Rows ids;
  for (const Proto& row : rows) ids.insert(row.job_id());
  return ids;
}

template <typename Proto>
Rows NamesOfRows(const google::protobuf::RepeatedPtrField<Proto>& rows) {
  Rows names;
  for (const Proto& row : rows) names.insert(absl::StrCat(row.account(), "/", row.user()));
  return names;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_VIEWED_ROWS_H_
