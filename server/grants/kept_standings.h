// The standings of grants, kept between recalculations.
#ifndef PRIORITYD_SERVER_GRANTS_KEPT_STANDINGS_H_
#define PRIORITYD_SERVER_GRANTS_KEPT_STANDINGS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/site/grant_standings.h"
#include "server/budgets/thresholds.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "server/grants/standings.h"

namespace priorityd::grants {

// Computes only the standings that can differ from the last ones: those of owners whose usage has
// changed, or one of whose windows or periods has begun or ended. The others are functions of the
// same windows and periods (BalancesOf).
class KeptStandings {
 public:
  // Brings StandingsOf and LevelsOf at `time` up to date. `pools`: of each stack of the book, as
  // Settle left them; has_changed is set to false. REQUIRES: always the same book, zone and lists,
  // which nobody else changes.
  void Update(const GrantBook& book, const absl::TimeZone& zone, absl::Time time,
              std::vector<Pool>* pools, priority::GrantStandings* standings,
              std::vector<budgets::GrantLevel>* levels);

  // Places of the standings that the last Update computed, ascending; unset = it computed all.
  const std::optional<std::vector<size_t>>& computed() const { return computed_; }

 private:
  // A stack as it was computed last.
  struct Known {
    absl::Time from;
    absl::Time until;                // The same holds before it.
    std::optional<size_t> standing;  // Its place.
  };
  using Standings = priority::GrantStandings;
  using Levels = std::vector<budgets::GrantLevel>;

  void ComputeAll(const GrantBook& book, const absl::TimeZone& zone, absl::Time time,
                  const std::vector<Pool>& pools, Standings* standings, Levels* levels);
  // False if another owner or grant has a standing or a level than before: compute all then.
  bool ComputeStack(const GrantBook& book, const GrantWindows& windows, size_t k, absl::Time time,
                    Standings* standings, Levels* levels);

  std::vector<Known> known_;                         // Of each stack.
  std::vector<std::optional<size_t>> level_places_;  // Of each grant.
  std::optional<std::vector<size_t>> computed_;
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_KEPT_STANDINGS_H_
