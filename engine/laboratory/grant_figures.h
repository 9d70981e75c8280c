// The effects of the grants of a simulation on jobs.
#ifndef PRIORITYD_ENGINE_LABORATORY_GRANT_FIGURES_H_
#define PRIORITYD_ENGINE_LABORATORY_GRANT_FIGURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/grant_ledger.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/measures.h"
#include "engine/laboratory/simulation.h"

namespace priorityd::laboratory {

// A user whose jobs a grant refused.
struct RefusedUser {
  std::string user;
  int64_t jobs = 0;
  absl::Time first;  // The submit times of the first and the last one.
  absl::Time last;

  friend bool operator==(const RefusedUser&, const RefusedUser&) = default;
};

// A job counts if it is measured, the grant is its owner's, and it waited, or started, while the
// consequence was in effect, or the grant held it; of a grant that refuses jobs, if it refused it.
struct GrantFigures {
  std::string name;
  std::string consequence;          // As the setting.
  std::optional<absl::Time> first;  // The first time that it was used up; unset = never.
  absl::Duration length;            // The total time, up to the end of the period.
  int64_t jobs = 0;
  int64_t users = 0;
  double wait = 0;                   // The mean of those that started, in seconds.
  double wait_without = 0;           // Of the same jobs, where they started without the grants.
  std::vector<RefusedUser> refused;  // By the first refusal.
};

// In the order of the grants, with which the first play was made.
std::vector<GrantFigures> FiguresOf(const Site& site, absl::Span<const HistoryJob> jobs,
                                    const std::vector<TriedGrant>& grants, const Played& with,
                                    const Schedule& without, const Period& period);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_GRANT_FIGURES_H_
