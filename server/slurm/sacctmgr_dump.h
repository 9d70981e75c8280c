// Reads and writes the files of `sacctmgr dump` and `sacctmgr load`.
//
//   Cluster - 'orc':Fairshare=1:QOS='normal,high'
//   Parent - 'root'
//   Account - 'chem':Description='chem':Organization='chem':Fairshare=60
//   Parent - 'chem'
//   User - 'eve':DefaultAccount='chem':Fairshare=2:Partition='main'
//
// A value may stand in '...' or "..."; inside, `\'`, `\"` and `\\` stand for the
// character. A quote that no `:` and no end of line follows is an ordinary
// character, since sacctmgr does not escape the ones inside a description.
#ifndef PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_H_
#define PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_H_

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/priority/association_tree.h"
#include "server/slurm/dump_line.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/qos_table.h"

namespace priorityd::slurm {

// The most accounts from root's child down to an account. Sites have less than 20.
inline constexpr int kMaxAccountDepth = 64;

// A Cluster, Account or User line.
struct DumpAssociation {
  // With `account`, `user`, `partition`, shares, priority, QOS and limits; `id` and
  // `parent_id` are 0. A limit of -1 is unset.
  priority::Association association;
  // Of an account; empty for the Cluster line, the account itself for a user.
  std::string parent_account;

  std::string description;      // Accounts.
  std::string organization;     // Accounts.
  std::string default_account;  // Users; empty = not given.
  std::string admin_level;      // Users; as written.
  // Limits and the like that the above does not hold, in their order.
  std::vector<DumpOption> other_options;
};

// The content of a dump.
struct SacctmgrDump {
  std::string cluster;  // Empty = there is no Cluster line.
  // The Cluster line as the association of root.
  DumpAssociation root;
  // Account and User lines in the order of the file: a parent before its children.
  std::vector<DumpAssociation> associations;
  // QOS lines of old dumps; what a line does not tell is the default.
  std::vector<QosRow> qos;
  // What the operator should know.
  std::vector<std::string> warnings;
};

// INVALID_ARGUMENT carries a list of violations (see file_violations.h): a line that is
// none of the above, an unknown option, an unterminated quote, a Parent that no
// line before it made, an account or an association twice, an account deeper than
// kMaxAccountDepth, an impossible value. Users whose names differ in case only are warned of.
// Options may be cut short as sacctmgr load takes them. A QOS list with +name or -name
// is applied to the parent's, to none where no account above has one (with a warning).
// `Account - 'root'` says more of the Cluster line.
absl::StatusOr<SacctmgrDump> ParseSacctmgrDump(const SourceFile& file);

// DefaultAccount by user, over all lines; of different ones the last holds.
absl::btree_map<std::string, std::string> DefaultAccounts(const SacctmgrDump& dump);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SACCTMGR_DUMP_H_
