// The kind of a file, by its content.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_FILE_KIND_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_FILE_KIND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/text/console.h"

namespace priorityd::prioctl {

enum class FileKind {
  kUnknown,
  kSlurmConf,
  kSacctmgrDump,
  kQosTable,
  kShareTable,  // of sshare -P
  kUsageLines,  // account|user|partition|usage
  kPriorityd,   // of Export: price books, grants, leases, merged users, aliases
  kSqueue,
  kSacct,
  kJson,
};

// By its first line that says something. kUnknown unless it cannot well be anything else.
FileKind LookAt(absl::string_view content);

// `a sacctmgr dump`
std::string KindName(FileKind kind);

// OK, or INVALID_ARGUMENT that says what `content` looks like if that is something else than
// `wanted`, and the command that takes it.
absl::Status CheckKind(absl::string_view name, absl::string_view content, FileKind wanted);

// The cluster that a slurm.conf, a sacctmgr dump or the table of sshare -P says it is of; empty =
// none.
std::string ClusterNamed(FileKind kind, absl::string_view content);

// OK, or FAILED_PRECONDITION where a file of cluster `named` would go to another cluster that
// nobody has typed: one that the environment names.
absl::Status CheckCluster(absl::string_view file, const std::string& named,
                          const std::string& cluster, const Console& console);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_FILE_KIND_H_
