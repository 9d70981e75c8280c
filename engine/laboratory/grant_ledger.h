// Grants of a simulation: the usage charged to them, and their standings.
#ifndef PRIORITYD_ENGINE_LABORATORY_GRANT_LEDGER_H_
#define PRIORITYD_ENGINE_LABORATORY_GRANT_LEDGER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/grants/balance.h"
#include "engine/grants/grant.h"
#include "engine/grants/price_book.h"
#include "engine/grants/settings.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/usage_book.h"
#include "engine/priority/site/grant_standings.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::laboratory {

// A grant to be tried. Names are distinct. Each of its transfers counts from its time on.
struct TriedGrant {
  std::string name;
  grants::Settings settings;
};

// A time in which jobs start by the consequence of a grant: [begin, end).
struct InEffect {
  absl::Time begin;
  absl::Time end;  // InfiniteFuture() = until the simulation ends.

  friend bool operator==(const InEffect&, const InEffect&) = default;
};

// A job that a used up grant refused when it was submitted; indices.
struct Refusal {
  size_t job = 0;
  size_t grant = 0;
  absl::Time at;

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

// Charges running jobs by exact amounts, from `begin` on; before it nothing is used. Usage counts
// times UsageFactor, or by the prices of a book, and does not decay. Balances are those of
// engine/grants, consequences those of the grant that is used last of each owner and TRES.
class GrantLedger {
 public:
  // `site` must outlive it. `zone`: of the policy. `prices`: of the
  // grants of money; without its book usage costs nothing.
  GrantLedger(const Site& site, const absl::TimeZone& zone, const std::vector<TriedGrant>& grants,
              absl::Time begin, grants::PriceBooks prices = {});

  bool empty() const { return standings_.empty(); }

  // Charges the job for [start, end). REQUIRES: `start` is not before the time of AdvanceTo.
  void Add(const Charge& charge, absl::Time start, absl::Time end);
  // Charges everything up to `as_of`, a recalculation.
  void AdvanceTo(absl::Time as_of);
  // The same for the recalculations at multiples of `period` since 1970 that may change a standing,
  // up to `as_of`, the last of them.
  void AdvanceTo(absl::Time as_of, absl::Duration period);

  // By grant: its standing, in the form of a grant that does not hold jobs where another one of its
  // owner is used last, or none is in force.
  const priority::GrantStandings& standings() const { return standings_; }
  // The same, as if all had been used up.
  priority::GrantStandings UsedUp() const;
  // The first grant that refuses a new job with this charge: used up, of its owner and of money or
  // a TRES that it requests.
  std::optional<size_t> RefusedBy(const Charge& charge) const;
  // By grant: when it was used up and had a consequence, in the order of time.
  const std::vector<std::vector<InEffect>>& in_effect() const { return in_effect_; }

 private:
  struct Run {
    double rate = 0;  // TRES, times UsageFactor.
    absl::Time start;
    absl::Time end;
    Charge charge = {};  // Of a stack with a book.
  };
  // A transfer that will reach a grant of a stack.
  struct Coming {
    size_t grant = 0;
    grants::Transfer transfer;
  };
  // All grants of one owner and TRES.
  struct Stack {
    std::vector<grants::Grant> grants;
    std::vector<Coming> coming;  // The latest first.
    std::vector<size_t> places;  // Of each in standings_.
    std::string tres;
    priority::TresTerms terms;            // Of `tres`.
    grants::PriceBook* book = nullptr;    // Of `tres`, which is then money.
    std::vector<bool> owns;               // By association.
    std::vector<absl::Time> boundaries;   // All up to the first one after as_of_.
    bool has_all_boundaries = false;      // None comes after these.
    std::vector<grants::Period> periods;  // Of a rolling grant those of its present window.
    std::vector<Run> runs;
  };

  Stack& StackOf(const grants::Settings& settings);
  static void Join(const TriedGrant& grant, Stack* stack);
  static void Transfer(absl::Time to, Stack* stack);
  void FindBoundaries(absl::Time to, Stack* stack) const;
  void Forget(absl::Time to, Stack* stack) const;
  void Settle(absl::Time to, Stack* stack) const;
  grants::Amount UsedOf(const Stack& stack, const Run& run, absl::Time begin, absl::Time end) const;
  void Judge(absl::Time as_of, const Stack& stack);
  void Note();
  // No standing is another one before it, unless a job is added.
  absl::Time NextChange() const;

  const Site& site_;
  const absl::TimeZone zone_;
  grants::PriceBooks prices_;
  std::vector<Stack> stacks_;
  priority::GrantStandings free_;  // By grant: while it does not hold jobs.
  priority::GrantStandings standings_;
  std::vector<std::vector<InEffect>> in_effect_;
  absl::Time as_of_;
};

// By association: whether it is an owner's or below one.
std::vector<bool> OwnedBy(const Site& site, const grants::Settings& settings);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_GRANT_LEDGER_H_
