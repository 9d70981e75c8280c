// slurm.conf with the files that it Includes.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_SLURM_CONF_FILES_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_SLURM_CONF_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "priority/v1/admin_service.pb.h"

namespace priorityd::prioctl {

// Reads slurm.conf and every file that it Includes, in reading order; each once, the
// main one first. Included files are looked for beside the main one, unless their name
// begins with `/`, and are called as the Include line names them, `%c` being the
// ClusterName before it.
// NOT_FOUND and the like name the line of the Include; INVALID_ARGUMENT for a
// wildcard, for a file that is neither below the folder of the main one nor below
// `include_from` (empty = no other folder), links followed, and, without a word of it, for one
// that has other lines than slurm.conf has.
absl::StatusOr<std::vector<::priority::v1::File>> ReadSlurmConf(
    const std::string& path, const std::string& include_from = "");

// A slurm.conf as one text.
struct PolicyText {
  std::string name;  // as errors call it
  std::string text;  // with the files that it Includes in the place of those lines
};

// Reads slurm.conf; `-` = standard input. Errors as above; INVALID_ARGUMENT for a
// file that includes itself, and for one without lines.
absl::StatusOr<PolicyText> ReadPolicyText(const std::string& path,
                                          const std::string& include_from = "");

// INVALID_ARGUMENT for a text that has only blank lines and comments: such a policy would be all
// defaults.
absl::Status CheckHasLines(absl::string_view name, absl::string_view text);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_SLURM_CONF_FILES_H_
