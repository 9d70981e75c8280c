// The rows of sacctmgr's tables.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ROW_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ROW_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "client/prioctl/sacctmgr/fields.h"
#include "priority/v1/admin_service.pb.h"

namespace priorityd::sacctmgr {

// Blank, text, a whole number or a number with decimals.
using Cell = std::variant<std::monostate, std::string, uint64_t, double>;
using Cells = std::vector<Cell>;

// The objects of a row; each may be missing.
struct Row {
  std::string cluster;
  const ::priority::v1::Association* association = nullptr;
  // The account's own association: Description and Organization.
  const ::priority::v1::Association* account = nullptr;
  const ::priority::v1::ClusterUser* user = nullptr;
  const ::priority::v1::Qos* qos = nullptr;
  const ::priority::v1::Cluster* of_cluster = nullptr;
  const ::priority::v1::AuditEvent* event = nullptr;
  std::string coordinators;
  std::string problem;
  uint64_t parent_id = 0;
  absl::TimeZone zone = absl::LocalTimeZone();  // Of the times of leases.
  int depth = -1;  // In the tree: blanks before the account; -1 = no tree.
};

// The row as these fields show it.
Cells CellsOf(const Row& row, const std::vector<Field>& fields);

// The own or else inherited attribute of an association; of several words, divided by `|`, the
// first that is set. Empty = none.
std::string AttributeOf(const ::priority::v1::Association& association, absl::string_view words);

// `a,b` in alphabetical order.
std::string SortedList(absl::string_view list);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_ROW_H_
