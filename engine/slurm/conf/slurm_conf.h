// Reads slurm.conf: the priority parameters, the partitions and the nodes of the cluster. The rules
// are those of Slurm 25.11's slurm.conf(5), plus the parameters FairShareAlgorithm, FairTreeTies,
// TimeZone and Clock, and PurgeJobAfter of slurmdbd.conf.
//
// Names of parameters are case-insensitive. `#` starts a comment (`\#` is the
// character), a `\` at the end of a line joins the next one, a value with spaces
// is enclosed in double quotes. DEFAULT lines (NodeName=DEFAULT, PartitionName=DEFAULT)
// apply to later lines of their kind and accumulate. If a parameter is set twice, the last
// value is used, with a warning.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_SLURM_CONF_H_
#define PRIORITYD_ENGINE_SLURM_CONF_SLURM_CONF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {

// The content of a slurm.conf.
struct SlurmConf {
  // ClusterName in lower case, as in Slurm; empty = not set.
  std::string cluster_name;

  // The priority parameters, with defaults for missing lines.
  priority::Policy policy;
  // Whether the file has any line of `policy`.
  bool has_policy = false;

  // Totals of the NodeName lines, including nodes that are down, without nodes in State=FUTURE.
  // `tres` includes the licenses. Unset without NodeName lines.
  std::optional<priority::Cluster> cluster;

  // Licenses= as license/NAME; also set without NodeName lines.
  priority::TresMap licenses;
  // Whether the file has a Licenses= line.
  bool has_licenses = false;

  // The partitions in the order of their lines, with the totals of their nodes; without NodeName
  // lines `nodes` is the number of named hosts and `tres` is empty.
  std::vector<priority::Partition> partitions;
  // The names of the partitions with Nodes=ALL, in the same order; without NodeName lines they have
  // the totals of the cluster.
  std::vector<std::string> all_nodes_partitions;

  // Warnings for the operator, as `slurm.conf line 14: ...`.
  std::vector<std::string> warnings;
  // Losses, in the same form: values that slurmctld ignores although they have a meaning, and
  // unknown parameters.
  std::vector<std::string> losses;
  // The settings that Slurm acts on and priorityd does not, by class, then name.
  std::vector<UnusedSetting> unused;
  // For an accepted text: the parts that could not be read and why, in the same form.
  std::vector<std::string> unread;
  // The number of lines without effect here, without comments and blank lines.
  int64_t skipped_lines = 0;
};

// `files[0]` is the main file. An `Include NAME` line includes the file of that name, else NAME in
// the folder of the including file, else the only file whose path ends in NAME or is a suffix of
// NAME; `%c` stands for the name of the cluster.
//
// Errors that slurmctld logs and ignores are warnings or losses. `(null)` is the same as no line.
// Also reads the output of `scontrol show config`.
//
// INVALID_ARGUMENT has a list of violations (see file_violations.h), such as an invalid value of a
// priority parameter, an unknown parameter whose name begins with Priority, FairShare or FairTree,
// a line that is not key=value, a missing or cyclic include, a node of a partition that no NodeName
// line names, PriorityDecayHalfLife=0 without PriorityUsageResetPeriod, a FairShareAlgorithm that
// contradicts PriorityFlags, or a text beyond the bounds in conf_files.h, hostlist.h and
// node_lines.h.
// REQUIRES: files is not empty.
absl::StatusOr<SlurmConf> ParseSlurmConf(absl::Span<const SourceFile> files);

// Reads a text that priorityd, possibly a newer version, has accepted before: parameters and words
// that are invalid by the rules above go to `unread`, the rest is used. Only a missing or cyclic
// include and a text beyond the bounds are INVALID_ARGUMENT.
absl::StatusOr<SlurmConf> ParseAcceptedSlurmConf(absl::Span<const SourceFile> files);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_SLURM_CONF_H_
