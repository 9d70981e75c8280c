// Reads and writes the files of `sacctmgr dump` and `sacctmgr load`.
//
//   Cluster - 'orc':Fairshare=1:QOS='normal,high'
//   Parent - 'root'
//   Account - 'chem':Description='chem':Organization='chem':Fairshare=60
//   Parent - 'chem'
//   User - 'eve':DefaultAccount='chem':Fairshare=2:Partition='main'
//
// A value may be enclosed in '...' or "..."; inside, `\'`, `\"` and `\\` stand for the
// character. A quote that no `:` and no end of line follows is an ordinary
// character, since sacctmgr does not escape the ones inside a description.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_H_

#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// The largest depth of an account below root. Real sites have less than 20.
inline constexpr int kMaxAccountDepth = 64;

// A Cluster, Account or User line.
struct DumpAssociation {
  // Has `account`, `user`, `partition`, shares, priority, QOS and limits; `id` and `parent_id` are
  // 0. A limit of -1 is unset.
  priority::Association association;
  // The parent of an account; empty for the Cluster line; for a user, the account of the user.
  std::string parent_account;

  std::string description;      // Accounts.
  std::string organization;     // Accounts.
  std::string default_account;  // Users; empty = not given.
  std::string admin_level;      // Users; as written.
  // Options without a field above, in their order.
  std::vector<DumpOption> other_options;
};

// A DefaultAccount where the dump has no association of the user. A cluster may have it already.
struct LackingDefault {
  std::string user;
  std::string account;
  std::string warning;  // For the operator, if the cluster does not.
};

// The content of a dump.
struct SacctmgrDump {
  std::string cluster;  // Empty = there is no Cluster line.
  // The Cluster line as the association of root.
  DumpAssociation root;
  // Account and User lines in the order of the file: a parent before its children.
  std::vector<DumpAssociation> associations;
  // QOS lines of old dumps; missing options have their defaults.
  std::vector<QosRow> qos;
  // Warnings for the operator.
  std::vector<std::string> warnings;
  std::vector<LackingDefault> lacking_defaults;  // By user.
  // As in QosTable.
  std::vector<std::string> losses;
};

// INVALID_ARGUMENT has a list of violations (see file_violations.h): an invalid line, an unknown
// option, an unterminated quote, a Parent that no earlier line created, a duplicate account or
// association, an account deeper than kMaxAccountDepth, an invalid value. Users whose names differ
// only in case give a warning. Options may be abbreviated as in sacctmgr load. A QOS list with
// +name or -name changes the list of the parent, or an empty list if no account above has one (with
// a warning). `Account - 'root'` adds to the Cluster line.
absl::StatusOr<SacctmgrDump> ParseSacctmgrDump(const SourceFile& file);

// DefaultAccount by user over all lines; if they differ, the last one is used.
absl::btree_map<std::string, std::string> DefaultAccounts(const SacctmgrDump& dump);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_SACCTMGR_DUMP_H_
