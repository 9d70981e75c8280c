// The site that was built in a real Slurm, on a real priorityd.
#ifndef PRIORITYD_TESTS_SLURM_CAPTURED_SITE_H_
#define PRIORITYD_TESTS_SLURM_CAPTURED_SITE_H_

#include <string>
#include <vector>

#include "tests/client/run_prioctl.h"

namespace priorityd {

// Runs prioctl, or `tool`, a link of that name, on the cluster that has the captured site;
// it is imported at the first call.
Finished RunOnCapturedSite(const std::string& tool, const std::vector<std::string>& arguments,
                           const std::string& in = "");

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SLURM_CAPTURED_SITE_H_
