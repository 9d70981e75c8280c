// The results of a pass, as text and as JSON.
#ifndef PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_
#define PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_

#include <string>

#include "absl/time/time.h"
#include "client/slurm/observer.h"

namespace priorityd::slurm_frontend {

// A line of the writes, a line of the agreement, and a table of the first `most` differing jobs,
// each with its reasons.
std::string PassTable(const PassReport& report, absl::TimeZone zone, size_t most);

// The same as one line of JSON, all of it.
std::string PassJson(const PassReport& report);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_PASS_TEXT_H_
