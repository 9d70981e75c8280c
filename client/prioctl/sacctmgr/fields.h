// The columns of sacctmgr's tables.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::sacctmgr {

// The content of a column.
enum class Shows {
  kBlank,  // Unknown to priorityd.
  kZero,   // Likewise, where sacctmgr prints 0.
  kAccount,
  kUser,
  kPartition,
  kCluster,
  kName,
  kId,
  kParentId,
  kParentName,
  kShare,
  kText,     // The attribute.
  kCount,    // The attribute, a whole number.
  kDecimal,  // The attribute, with six decimals.
  kWall,     // The attribute, a time.
  kGrace,    // The same, 00:00:00 where it is unset.
  kPart,     // Of the attribute, a list of TRES, the one that `tres` names.
  kList,     // The attribute, names in alphabetical order.
  kPreemptMode,
  kCoordinators,
  kDefaultAccount,
  kAdminLevel,
  kClusterTres,
  kLeases,  // The settings that leases change: `Fairshare=1000 until TIME, then 200`.
  kProblem,
  kTime,
  kAction,
  kActor,
  kWhere,
  kInfo,
};

// A column that sacctmgr knows.
struct KnownField {
  absl::string_view name;  // As format= takes it.
  size_t least;            // So many letters of it are enough.
  absl::string_view heading;
  int width;
  Shows shows;
  absl::string_view attribute;  // As `sacctmgr dump` or `show qos` writes it.
  absl::string_view tres;
};

// A column of a table.
struct Field {
  const KnownField* known = nullptr;
  int width = 0;      // At least 1.
  bool left = false;  // Text and heading on the left.
};

// Of `format=`: `NAME[%[-]WIDTH],...`; names in any case, cut short as sacctmgr allows. Errors are
// INVALID_ARGUMENT; that of an unknown name lists the known ones.
absl::StatusOr<std::vector<Field>> ParseFormat(absl::string_view format);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELDS_H_
