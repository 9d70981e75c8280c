// What a pass found, for people and for programs.
#ifndef PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_
#define PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_

#include <string>

#include "absl/time/time.h"
#include "client/slurm/observer.h"

namespace priorityd::slurm_frontend {

// A line on what was done, one on how far the two agree, and a table of the jobs that differ, each
// with its reasons; the first `most` of them.
std::string PassTable(const PassReport& report, absl::TimeZone zone, size_t most);

// The same as one line of JSON, all of it.
std::string PassJson(const PassReport& report);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_
