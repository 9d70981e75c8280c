// Usage that an import brings in.
#ifndef PRIORITYD_ENGINE_SLURM_TABLES_OPENING_USAGE_H_
#define PRIORITYD_ENGINE_SLURM_TABLES_OPENING_USAGE_H_

#include <string>

namespace priorityd::slurm {

// No association brings in more, so that no sum overflows.
inline constexpr double kMaxOpeningUsage = 1e30;

// The decayed usage of one association, without the associations below it.
struct OpeningUsage {
  std::string account;
  std::string user;       // Empty = the account's own.
  std::string partition;  // Empty = none or unknown.
  double usage = 0;       // Billing-seconds; 0 to kMaxOpeningUsage.
  int line = 0;           // Its line number, for violations.

  friend bool operator==(const OpeningUsage&, const OpeningUsage&) = default;
};

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_TABLES_OPENING_USAGE_H_
