// The objects that a command is about, and the parts of them that it shows.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SELECTION_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/prioctl/sacctmgr/command.h"
#include "priority/v1/administration.pb.h"

namespace priorityd::sacctmgr {

using Names = std::vector<std::string>;

struct Selection {
  Names names;  // Of QOS and clusters.
  Names accounts;
  Names users;
  Names partitions;
  Names parents;
  Names qos;
  Names default_qos;
  Names admin_levels;
  Names default_accounts;
  Names organizations;
  Names descriptions;
  Names actors;
  Names actions;
  Names clusters;
  Names start, end, file, format;  // One each; format as typed.
  bool with_associations = false;
  bool with_coordinators = false;
  bool with_sub_accounts = false;
  bool only_defaults = false;
  bool tree = false;
  bool clean = false;
  std::vector<::priority::v1::Setting> settings;  // Words of `add` that name nothing.

  // Whether it names any thing; cluster, format and the like do not count.
  bool names_things() const;
  // The one cluster named; empty = none.
  std::string cluster() const { return clusters.empty() ? "" : clusters.front(); }
};

// Of the words after `where`, or of those of show, delete, dump and load. INVALID_ARGUMENT says
// which word is unknown and which are known.
absl::StatusOr<Selection> ReadSelection(const Command& command);

// Of the words of add: those that name things, and the others as settings.
absl::StatusOr<Selection> ReadNewThings(const Command& command);

// The words after `set`, `from` and `until` last. INVALID_ARGUMENT where there are none, or one has
// no value.
absl::StatusOr<std::vector<::priority::v1::Setting>> ReadSettings(const Command& command);

// Whether it says when the other settings begin or end: `from` or `until`.
bool IsTerm(const ::priority::v1::Setting& setting);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_SELECTION_H_
