// The site that a history is played on: of Slurm's own files, or of the history alone.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_SITE_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_SITE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/prioctl/replay/history_file.h"
#include "engine/laboratory/history.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::replay {

// The files of a site; each may be missing.
struct SiteTexts {
  std::vector<slurm::SourceFile> slurm_conf;  // The main file first.
  std::optional<slurm::SourceFile> dump;      // Of sacctmgr.
  std::optional<slurm::SourceFile> qos;       // Of sacctmgr show qos.
  // Identical nodes, if there is no slurm.conf; 0 nodes = not given.
  int64_t nodes = 0;
  int64_t cpus_per_node = 1;
};

// Makes the site, and has the history name only what it has.
//
// Nodes and partitions are those of slurm.conf; without one there is a partition `main` of the
// nodes given here or, without these, those of the history. Accounts and users that the dump does
// not name, or all of them without one, are added with Fairshare=1, accounts under root; QOS that
// no table names are made with Slurm's defaults. A partition or QOS of a job that the site does not
// have is taken from it. What was added and taken goes to `notes`, in sentences.
//
// REQUIRES: a job with an account has a user (LeaveOutWithoutUser).
// INVALID_ARGUMENT names file and line; also if there are no nodes in any of them.
absl::StatusOr<laboratory::Site> MakeSite(const SiteTexts& texts, History* history,
                                          std::vector<std::string>* notes);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_SITE_TEXT_H_
