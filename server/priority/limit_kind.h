// The kinds of limits: what each compares, and Slurm's word for a job that it keeps back.
#ifndef PRIORITYD_SERVER_PRIORITY_LIMIT_KIND_H_
#define PRIORITYD_SERVER_PRIORITY_LIMIT_KIND_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::priority {

// By the names of `sacctmgr show`, in the order in which they are told within their phase.
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

// When a limit is looked at. A limit of an earlier phase is told first, of whatever level.
enum class LimitPhase : uint8_t { kFirst, kSecond, kSubmission };

// Whose running jobs count against a limit.
enum class LimitScope : uint8_t {
  kJob,      // The job is compared alone.
  kGroup,    // All of the association and below it, or of the QOS.
  kAccount,  // Those of the job's account under the QOS.
  kUser,     // Those of the job's association, or of its user under the QOS.
};

// What is compared.
enum class LimitMeasure : uint8_t {
  kJobs,
  kWall,         // Seconds of time limit.
  kTres,         // The count.
  kTresPerNode,  // The count by the nodes asked for.
  kTresSeconds,  // The count times the time limit.
};

struct LimitRule {
  LimitKind kind;
  absl::string_view association_name;  // As sacctmgr names it; empty = only a QOS has it.
  absl::string_view qos_name;          // Empty = only an association has it.
  LimitPhase phase;
  LimitScope scope;
  LimitMeasure measure;
  bool counts_usage = false;     // What was used so far counts too.
  bool is_least = false;         // The job must have as much.
  bool by_limit_factor = false;  // LimitFactor multiplies an association's.
};

const LimitRule& RuleOf(LimitKind kind);

// One limit as it is set: of jobs, seconds for kWall, counts, or TRES-minutes.
struct LimitValue {
  LimitKind kind = LimitKind::kGrpJobs;
  std::string tres;  // Canonical; empty where the measure has none.
  double value = 0;

  friend bool operator==(const LimitValue&, const LimitValue&) = default;
};

// The order in which Slurm goes through the TRES of one limit: cpu, mem, energy, node, billing,
// then the others by name.
bool TresBefore(absl::string_view a, absl::string_view b);

// Slurm's word for a job that the limit keeps back: AssocGrpCpuLimit, QOSMaxGRESPerUser, ...
// Static storage.
absl::string_view LimitWord(LimitKind kind, bool of_qos, absl::string_view tres);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LIMIT_KIND_H_
