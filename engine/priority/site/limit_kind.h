// The kinds of limits: what each compares, and Slurm's reason for a job that exceeds it.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_LIMIT_KIND_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_LIMIT_KIND_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::priority {

// Named as in `sacctmgr show`; in the order in which they are reported within their phase.
enum class LimitKind : uint8_t {
  kGrpJobs,
  kGrpWall,
  kMaxJobsPerAccount,
  kMaxJobs,  // Of a QOS MaxJobsPU.
  kMaxWall,
  kGrpTresMins,
  kGrpTres,
  kGrpTresRunMins,
  kMaxTresMins,
  kMaxTres,
  kMaxTresPerNode,
  kMinTres,
  kMaxTresPerAccount,
  kMaxTresPerUser,
  kMaxTresRunMinsPerAccount,
  kMaxTresRunMins,  // Of a QOS MaxTRESRunMinsPU.
  kGrpSubmitJobs,
  kMaxSubmitJobsPerAccount,
  kMaxSubmitJobs,  // Of a QOS MaxSubmitPU.
};
inline constexpr size_t kLimitKinds = 19;

// The phase in which a limit is checked. A limit of an earlier phase is reported first, on any
// level.
enum class LimitPhase : uint8_t { kFirst, kSecond, kSubmission };

// The running jobs that count against a limit.
enum class LimitScope : uint8_t {
  kJob,      // No others: a limit per job.
  kGroup,    // Jobs of the association and everything below it, or of the QOS.
  kAccount,  // Jobs of the job's account under the QOS.
  kUser,     // Jobs of the job's association, or of its user under the QOS.
};

// The quantity that is compared.
enum class LimitMeasure : uint8_t {
  kJobs,
  kWall,         // Seconds of time limit.
  kTres,         // The count.
  kTresPerNode,  // The count divided by the requested nodes.
  kTresSeconds,  // The count multiplied by the time limit.
};

struct LimitRule {
  LimitKind kind;
  absl::string_view association_name;  // As in sacctmgr; empty = associations do not have it.
  absl::string_view qos_name;          // As in sacctmgr; empty = QOS do not have it.
  LimitPhase phase;
  LimitScope scope;
  LimitMeasure measure;
  bool counts_usage = false;     // Past usage counts too.
  bool is_least = false;         // A lower bound: the job must request at least as much.
  bool by_limit_factor = false;  // LimitFactor of the QOS multiplies an association's limit.
};

const LimitRule& RuleOf(LimitKind kind);

// One limit as configured. Unit of `value`: jobs, seconds for kWall, counts, or TRES-minutes.
struct LimitValue {
  LimitKind kind = LimitKind::kGrpJobs;
  std::string tres;  // Canonical; empty where the measure has none.
  double value = 0;

  friend bool operator==(const LimitValue&, const LimitValue&) = default;
};

// The order in which Slurm checks the TRES of one limit: cpu, mem, energy, node, billing, then
// the others by name.
bool TresBefore(absl::string_view a, absl::string_view b);

// Slurm's reason for a job that exceeds the limit: AssocGrpCpuLimit, QOSMaxGRESPerUser, ...
// Static storage.
absl::string_view LimitWord(LimitKind kind, bool of_qos, absl::string_view tres);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_LIMIT_KIND_H_
