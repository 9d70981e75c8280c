#include "engine/laboratory/grant_ledger.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "engine/grants/amount.h"
#include "engine/grants/stack_standing.h"
#include "engine/grants/windows.h"
#include "engine/priority/limits/grant_owners.h"

namespace priorityd::laboratory {
namespace {

// As long as nothing is known of it: nothing is used, of any amount.
priority::GrantStanding FreeStanding(const TriedGrant& grant) {
  const grants::Settings& settings = grant.settings;
  return {.name = grant.name,
          .accounts = settings.accounts,
          .user = settings.user,
          .tres = settings.tres,
          .available = std::numeric_limits<double>::infinity(),
          .until = absl::InfiniteFuture(),
          .consequence = settings.consequence,
          .demoted_qos = settings.demoted_qos,
          .measure = settings.measure};
}

double CountOf(const Charge& charge, const std::string& tres) {
  if (tres == "billing") return charge.billing;
  const auto held = charge.tres.find(tres);
  return held == charge.tres.end() ? 0 : held->second;
}

// Of what the terms count.
double HeldOf(const Charge& charge, const priority::TresTerms& terms) {
  return priority::WeightedSum(terms,
                               [&](const std::string& tres) { return CountOf(charge, tres); });
}

}  // namespace

std::vector<bool> OwnedBy(const Site& site, const grants::Settings& settings) {
  const priority::GrantStanding owner = {.accounts = settings.accounts, .user = settings.user};
  return priority::GrantOwners(*site.tree).HeldByAny({&owner});
}

GrantLedger::GrantLedger(const Site& site, const absl::TimeZone& zone,
                         const std::vector<TriedGrant>& grants, absl::Time begin,
                         grants::PriceBooks prices)
    : site_(site), zone_(zone), prices_(std::move(prices)), as_of_(begin) {
  for (const TriedGrant& grant : grants) {
    Stack& stack = StackOf(grant.settings);
    if (stack.owns.empty()) stack.owns = OwnedBy(site, grant.settings);
    Join(grant, &stack);
    stack.places.push_back(free_.size());
    free_.push_back(FreeStanding(grant));
  }
  for (Stack& stack : stacks_) {
    absl::c_stable_sort(stack.coming, [](const Coming& a, const Coming& b) {
      return a.transfer.at > b.transfer.at;
    });
  }
  standings_ = free_;
  in_effect_.resize(free_.size());
  AdvanceTo(begin);
}

GrantLedger::Stack& GrantLedger::StackOf(const grants::Settings& settings) {
  for (Stack& stack : stacks_) {
    const priority::GrantStanding& of = free_[stack.places.front()];
    if (of.accounts == settings.accounts && of.user == settings.user && of.tres == settings.tres) {
      return stack;
    }
  }
  stacks_.emplace_back().tres = settings.tres;
  stacks_.back().terms = priority::TresTermsOf(settings.tres);
  if (priority::IsPrice(settings.tres)) stacks_.back().book = &prices_[settings.tres];
  return stacks_.back();
}

void GrantLedger::Join(const TriedGrant& grant, Stack* stack) {
  for (const grants::Transfer& transfer : grant.settings.grant.transfers) {
    stack->coming.push_back({stack->grants.size(), transfer});
  }
  grants::Grant& joined = stack->grants.emplace_back(grant.settings.grant);
  joined.name = grant.name;
  joined.transfers.clear();
}

// The transfers up to `to` count from now on.
void GrantLedger::Transfer(absl::Time to, Stack* stack) {
  for (; !stack->coming.empty() && stack->coming.back().transfer.at <= to;
       stack->coming.pop_back()) {
    const Coming& next = stack->coming.back();
    stack->grants[next.grant].transfers.push_back(next.transfer);
  }
}

void GrantLedger::Add(const Charge& charge, absl::Time start, absl::Time end) {
  if (charge.association == priority::kNoAssociation || start >= end) return;
  for (Stack& stack : stacks_) {
    if (!stack.owns[charge.association]) continue;
    const double rate = HeldOf(charge, stack.terms) * charge.usage_factor;
    if (stack.book != nullptr) {
      stack.runs.push_back({0, start, end, charge});
    } else if (rate > 0) {
      stack.runs.push_back({rate, start, end});
    }
  }
}

void GrantLedger::AdvanceTo(absl::Time as_of) {
  for (Stack& stack : stacks_) {
    Transfer(as_of, &stack);
    Settle(as_of, &stack);
  }
  as_of_ = as_of;
  standings_ = free_;
  for (const Stack& stack : stacks_) Judge(as_of, stack);
  Note();
}

void GrantLedger::AdvanceTo(absl::Time as_of, absl::Duration period) {
  while (as_of_ < as_of) {
    const absl::Time change =
        absl::UnixEpoch() + absl::Ceil(NextChange() - absl::UnixEpoch(), period);
    AdvanceTo(std::min(as_of, std::max(change, as_of_ + period)));
  }
}

absl::Time GrantLedger::NextChange() const {
  absl::Time next = absl::InfiniteFuture();
  for (const Stack& stack : stacks_) {
    if (!stack.runs.empty()) return as_of_;
    if (!stack.coming.empty()) next = std::min(next, stack.coming.back().transfer.at);
    const auto boundary = absl::c_upper_bound(stack.boundaries, as_of_);
    if (boundary != stack.boundaries.end()) next = std::min(next, *boundary);
  }
  return next;
}

// Windows are gone through only when the last known boundary is reached.
void GrantLedger::FindBoundaries(absl::Time to, Stack* stack) const {
  std::vector<absl::Time>& known = stack->boundaries;
  if (stack->has_all_boundaries || (!known.empty() && to < known.back())) return;
  known = grants::BoundariesOf(stack->grants, zone_, to);
  stack->has_all_boundaries = known.empty() || known.back() <= to;
}

// Entries that are in no window any more.
void GrantLedger::Forget(absl::Time to, Stack* stack) const {
  std::erase_if(stack->runs, [to](const Run& run) { return run.end <= to; });
  if (stack->grants.front().window != grants::WindowKind::kRolling) return;
  const auto window = grants::RollingWindow(stack->grants.front(), zone_, to);
  if (!window.has_value()) return;
  const auto kept = absl::c_find_if(
      stack->periods, [&](const grants::Period& period) { return period.end > window->begin; });
  stack->periods.erase(stack->periods.begin(), kept);
}

// A period begins at each boundary; otherwise the last one goes on.
void GrantLedger::Settle(absl::Time to, Stack* stack) const {
  FindBoundaries(to, stack);
  const std::vector<absl::Time>& boundaries = stack->boundaries;
  for (absl::Time from = as_of_; from < to;) {
    const auto next = std::upper_bound(boundaries.begin(), boundaries.end(), from);
    const absl::Time until = next == boundaries.end() ? to : std::min(*next, to);
    const bool begins =
        stack->periods.empty() || std::binary_search(boundaries.begin(), boundaries.end(), from);
    if (begins) stack->periods.push_back({from, until, grants::Amount()});
    grants::Period& period = stack->periods.back();
    period.end = until;
    for (const Run& run : stack->runs) {
      const absl::Time begin = std::max(run.start, from);
      const absl::Time end = std::min(run.end, until);
      if (begin < end) period.used += UsedOf(*stack, run, begin, end);
    }
    from = until;
  }
  Forget(to, stack);
}

grants::Amount GrantLedger::UsedOf(const Stack& stack, const Run& run, absl::Time begin,
                                   absl::Time end) const {
  if (stack.book == nullptr) return grants::Amount::Of(run.rate, end - begin);
  const Charge& charge = run.charge;
  const auto count = [&](const std::string& tres) { return CountOf(charge, tres); };
  const absl::string_view partition =
      charge.partition < 0 ? "" : absl::string_view(site_.partitions[charge.partition].name);
  const absl::string_view qos = charge.qos < 0 ? "" : absl::string_view(site_.qos[charge.qos].name);
  return stack.book->CostOf(begin, end, {partition, qos, count});
}

void GrantLedger::Judge(absl::Time as_of, const Stack& stack) {
  const auto windows = grants::BalancesOf(stack.grants, stack.periods, zone_, as_of);
  const auto present = [&](size_t i) -> const grants::Balance& { return windows[i].back(); };
  const auto of = grants::StandingOf(stack.grants, present, as_of);
  if (!of.has_value()) return;
  priority::GrantStanding& standing = standings_.Change(stack.places[of->last]);
  standing.available = of->standing.available;
  standing.used = of->standing.used;
  standing.until = of->standing.until;
}

void GrantLedger::Note() {
  for (size_t i = 0; i < standings_.size(); ++i) {
    std::vector<InEffect>& times = in_effect_[i];
    const bool was = !times.empty() && times.back().end == absl::InfiniteFuture();
    const bool is = standings_[i].consequence != priority::GrantConsequence::kNone &&
                    priority::IsUsedUp(standings_[i]);
    if (is && !was) times.push_back({as_of_, absl::InfiniteFuture()});
    if (was && !is) times.back().end = as_of_;
  }
}

std::optional<size_t> GrantLedger::RefusedBy(const Charge& charge) const {
  if (charge.association == priority::kNoAssociation) return std::nullopt;
  std::optional<size_t> first;
  for (const Stack& stack : stacks_) {
    const bool requests = stack.book != nullptr || HeldOf(charge, stack.terms) > 0;
    if (!stack.owns[charge.association] || !requests) continue;
    for (const size_t place : stack.places) {
      const priority::GrantStanding& standing = standings_[place];
      const bool refuses = standing.consequence == priority::GrantConsequence::kRefuse &&
                           priority::IsUsedUp(standing);
      if (refuses && (!first.has_value() || place < *first)) first = place;
    }
  }
  return first;
}

priority::GrantStandings GrantLedger::UsedUp() const {
  priority::GrantStandings used_up = free_;
  for (size_t i = 0; i < used_up.size(); ++i) used_up.Change(i).available = 0;
  return used_up;
}

}  // namespace priorityd::laboratory
