// The clusters on which the commands of the documents are typed.
#ifndef PRIORITYD_TESTS_SLURM_DOCUMENT_SITES_H_
#define PRIORITYD_TESTS_SLURM_DOCUMENT_SITES_H_

#include <string>
#include <vector>

#include "tests/client/run_prioctl.h"

namespace priorityd {

// Runs prioctl, or `tool`, a link of that name, on the cluster `site`, which is built at the first
// call: `lab`, the captured site; `nodes`, that of captured/nodes.conf with the jobs that ran on
// it; `cavium`, that of a guide's examples.
Finished RunOnDocumentSite(const std::string& site, const std::string& tool,
                           const std::vector<std::string>& arguments, const std::string& in);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SLURM_DOCUMENT_SITES_H_
