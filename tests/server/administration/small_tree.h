// A small tree for plans, which need no database.
#ifndef PRIORITYD_TESTS_SERVER_ADMINISTRATION_SMALL_TREE_H_
#define PRIORITYD_TESTS_SERVER_ADMINISTRATION_SMALL_TREE_H_

#include <string>
#include <vector>

#include "server/administration/tree/association_plan.h"

namespace priorityd::administration {

inline storage::Association RowOf(int64_t id, std::optional<int64_t> parent,
                                  const std::string& account, const std::string& user = "") {
  storage::Association row;
  row.id = id;
  row.cluster_id = 1;
  row.parent_id = parent;
  row.account = account;
  row.user_name = user;
  row.raw_shares = 1;
  return row;
}

inline storage::ClusterUser UserOf(const std::string& name, const std::string& default_account,
                                   std::vector<std::string> coordinated = {}) {
  return {.cluster_id = 1,
          .name = name,
          .default_account = default_account,
          .admin_level = "",
          .coordinated = std::move(coordinated)};
}

// root 1, science 2 with chem 3 and bio 6; ann is in chem (4) and bio (7), ben in chem (5). ann's
// default account is chem, and eve, who is in none, coordinates bio and chem. QOS: normal, high.
inline TreeState SmallTree() {
  TreeState state;
  state.cluster_id = 1;
  state.tree =
      TreeSlice({RowOf(1, std::nullopt, "root"), RowOf(2, 1, "science"), RowOf(3, 2, "chem"),
                 RowOf(4, 3, "chem", "ann"), RowOf(5, 3, "chem", "ben"), RowOf(6, 2, "bio"),
                 RowOf(7, 6, "bio", "ann")});
  state.users["ann"] = UserOf("ann", "chem");
  state.users["ben"] = UserOf("ben", "chem");
  state.users["eve"] = UserOf("eve", "", {"bio", "chem"});
  state.qos = {"normal", "high"};
  return state;
}

inline TreeRights Operator() {
  TreeRights rights;
  rights.is_operator = true;
  rights.is_administrator = true;
  rights.caller = "adm";
  return rights;
}

inline TreeSettings SettingsOrDie(const std::vector<Setting>& settings, SettingsOf of) {
  return ReadSettings(settings, of).value();
}

}  // namespace priorityd::administration

#endif  // PRIORITYD_TESTS_SERVER_ADMINISTRATION_SMALL_TREE_H_
