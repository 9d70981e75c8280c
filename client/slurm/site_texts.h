// What Slurm's tools print of a cluster.
#ifndef PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_
#define PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/slurm/commands.h"

namespace priorityd::slurm_frontend {

// What changes when somebody changes the site.
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

// What changes all the time.
struct PassTexts {
  std::string shares;      // sshare -a -m -P
  std::string queue;       // squeue, times in UTC
  std::string priorities;  // sprio; empty where priorities are not wanted
};

// FAILED_PRECONDITION where the answers make no sense.
absl::StatusOr<SiteTexts> ReadSiteTexts(const RunCommand& run);

absl::StatusOr<std::string> ReadQueue(const RunCommand& run);

// All of one pass of slurmctld's, which is seen by sshare telling the same before and after;
// ABORTED where passes follow each other too fast. Without priorities sprio is not asked, which
// does not know priority/basic.
absl::StatusOr<PassTexts> ReadPassTexts(const RunCommand& run, bool with_priorities);

// Usage as the slurmctld of another cluster of the same slurmdbd tells it.
absl::StatusOr<std::string> ReadSharesOf(const RunCommand& run, const std::string& cluster);

// The value of `NAME = VALUE` in what scontrol show config printed; empty = none, or (null).
std::string ConfigValue(const std::string& config, const std::string& name);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_SITE_TEXTS_H_
