// A row of the association tree, as tests write it.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_ASSOCIATION_ROW_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_ASSOCIATION_ROW_H_

#include <cstdint>
#include <string>

#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

inline Association AssociationRow(int64_t id, int64_t parent, const std::string& account,
                                  const std::string& user = "", const std::string& partition = "") {
  Association row;
  row.id = id;
  row.parent_id = parent;
  row.account = account;
  row.user = user;
  row.partition = partition;
  return row;
}

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_ASSOCIATION_ROW_H_
