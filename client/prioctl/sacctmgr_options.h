// What the user asked sacctmgr for.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_OPTIONS_H_

#include <string>
#include <vector>

#include "client/prioctl/slurm_table.h"

namespace priorityd::prioctl {

// `prioctl sacctmgr`, by Slurm's options.
struct SacctmgrOptions {
  std::vector<std::string> words;  // The command; empty = read commands line by line.
  bool immediate = false;          // -i
  bool read_only = false;          // -r
  bool associations = false;       // -s
  bool header = true;              // not -n
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_OPTIONS_H_
