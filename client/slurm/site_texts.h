// The output of Slurm's tools for a cluster.
#ifndef PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_
#define PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/slurm/commands.h"

namespace priorityd::slurm_frontend {

// Changed by administrators only.
struct SiteTexts {
  std::string cluster;       // ClusterName
  std::string config;        // scontrol show config
  std::string nodes;         // scontrol -o show node
  std::string partitions;    // scontrol -o show partition
  std::string dump;          // sacctmgr dump
  std::string associations;  // sacctmgr -P show assoc: id, account, user, partition
  std::string qos;           // sacctmgr -P show qos

  friend bool operator==(const SiteTexts&, const SiteTexts&) = default;
};

// Changing all the time.
struct PassTexts {
  std::string shares;      // sshare -a -m -P
  std::string queue;       // squeue, times in UTC
  std::string priorities;  // sprio; empty if priorities are not requested
};

// FAILED_PRECONDITION for implausible output.
absl::StatusOr<SiteTexts> ReadSiteTexts(const RunCommand& run);

absl::StatusOr<std::string> ReadQueue(const RunCommand& run);

// The output within one pass of slurmctld: sshare prints the same before and after. ABORTED if
// passes follow each other too fast. Without priorities sprio is not run, which does not support
// priority/basic.
absl::StatusOr<PassTexts> ReadPassTexts(const RunCommand& run, bool with_priorities);

// The usage of another cluster of the same slurmdbd, by its slurmctld.
absl::StatusOr<std::string> ReadSharesOf(const RunCommand& run, const std::string& cluster);

// The value of `NAME = VALUE` in the output of scontrol show config; empty = none, or (null).
std::string ConfigValue(const std::string& config, const std::string& name);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_
