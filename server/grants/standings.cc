#include "server/grants/standings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/grants/consequence.h"

namespace priorityd::grants {
namespace {

bool IsInForce(const Grant& grant, absl::Time time) {
  return grant.begin <= time && time < grant.end;
}

bool UsedBefore(const Grant& a, const Grant& b) {
  return std::tie(a.order, a.end, a.name) < std::tie(b.order, b.end, b.name);
}

// Whether none is in force at `time`.
bool Ends(const Stack& stack, absl::Time time) {
  return time < absl::InfiniteFuture() &&
         std::none_of(stack.grants.begin(), stack.grants.end(),
                      [time](const Grant& grant) { return IsInForce(grant, time); });
}

std::optional<priority::GrantStanding> StandingOf(const GrantBook& book, const Stack& stack,
                                                  const GrantWindows& windows, absl::Time time) {
  std::vector<size_t> in_force;
  for (size_t i = 0; i < stack.grants.size(); ++i) {
    if (IsInForce(stack.grants[i], time)) in_force.push_back(i);
  }
  if (in_force.empty()) return std::nullopt;
  const size_t last = *std::max_element(in_force.begin(), in_force.end(), [&](size_t a, size_t b) {
    return UsedBefore(stack.grants[a], stack.grants[b]);
  });
  const StoredGrant& stored = book.grants[stack.places[last]];
  if (stored.consequence == priority::GrantConsequence::kNone) return std::nullopt;
  priority::GrantStanding standing = {.name = stored.row.name,
                                      .accounts = stack.owner.accounts,
                                      .user = stack.owner.user,
                                      .tres = stack.owner.tres,
                                      .until = absl::InfiniteFuture(),
                                      .consequence = stored.consequence,
                                      .demoted_qos = stored.row.demoted_qos,
                                      .measure = stored.measure};
  // What one grant is overdrawn does not take from another one.
  standing.has_others = in_force.size() > 1;
  Amount room, used;
  for (const size_t i : in_force) {
    const Balance& balance = windows[stack.places[i]].back();
    room += std::max(balance.left() + balance.beyond, Amount());
    used += balance.used;
    const Amount grace = balance.granted.Part(stack.grants[i].grace);
    standing.has_grace |= grace > Amount();
    standing.has_borrow |= balance.beyond > grace;
    // Only a window that another one follows brings something.
    if (balance.end < stack.grants[i].end) standing.until = std::min(standing.until, balance.end);
  }
  if (standing.until == absl::InfiniteFuture()) {
    standing.until = stack.grants[last].end;
    standing.ends = Ends(stack, standing.until);
  }
  standing.available = (used + room).seconds();
  standing.used = used.seconds();
  return standing;
}

}  // namespace

GrantWindows WindowsOf(const GrantBook& book, const StackPeriods& periods,
                       const absl::TimeZone& zone, absl::Time time) {
  GrantWindows all(book.grants.size());
  for (size_t k = 0; k < book.stacks.size(); ++k) {
    const Stack& stack = book.stacks[k];
    auto of_stack = BalancesOf(stack.grants, periods[k], zone, time);
    for (size_t i = 0; i < of_stack.size(); ++i) all[stack.places[i]] = std::move(of_stack[i]);
  }
  return all;
}

std::vector<priority::GrantStanding> StandingsOf(const GrantBook& book, const GrantWindows& windows,
                                                 absl::Time time) {
  std::vector<priority::GrantStanding> standings;
  for (const Stack& stack : book.stacks) {
    auto standing = StandingOf(book, stack, windows, time);
    if (standing.has_value()) standings.push_back(*std::move(standing));
  }
  return standings;
}

std::vector<budgets::GrantLevel> LevelsOf(const GrantBook& book, const GrantWindows& windows,
                                          absl::Time time) {
  std::vector<budgets::GrantLevel> levels;
  for (size_t i = 0; i < book.grants.size(); ++i) {
    const storage::Grant& row = book.grants[i].row;
    if (!IsInForce(book.grants[i].grant, time)) continue;
    const Balance& balance = windows[i].back();
    levels.push_back({.grant = row.name,
                      .window = absl::StrCat(absl::ToUnixMicros(balance.begin), "/",
                                             balance.available().ToDecimal()),
                      .account = row.accounts.size() == 1 ? row.accounts.front() : "",
                      .user = row.user_name,
                      .tres = row.tres,
                      .available = balance.available().seconds(),
                      .used = balance.used.seconds()});
  }
  return levels;
}

std::vector<storage::GrantStanding> ToRows(const std::vector<priority::GrantStanding>& standings) {
  std::vector<storage::GrantStanding> rows;
  for (const priority::GrantStanding& standing : standings) {
    rows.push_back({.place = static_cast<int64_t>(rows.size()),
                    .name = standing.name,
                    .accounts = standing.accounts,
                    .user_name = standing.user,
                    .tres = standing.tres,
                    .available = standing.available,
                    .used = standing.used,
                    .until_time = standing.until,
                    .ends = standing.ends,
                    .has_grace = standing.has_grace,
                    .has_borrow = standing.has_borrow,
                    .has_others = standing.has_others,
                    .consequence = kConsequenceWords[static_cast<size_t>(standing.consequence)],
                    .demoted_qos = standing.demoted_qos,
                    .consequence_value = MeasureText(standing.consequence, standing.measure)});
  }
  return rows;
}

std::vector<priority::GrantStanding> FromRows(const std::vector<storage::GrantStanding>& rows) {
  std::vector<priority::GrantStanding> standings;
  for (const storage::GrantStanding& row : rows) {
    const auto* word =
        std::find(std::begin(kConsequenceWords), std::end(kConsequenceWords), row.consequence);
    auto consequence = priority::GrantConsequence::kNone;
    if (word != std::end(kConsequenceWords)) {
      consequence = static_cast<priority::GrantConsequence>(word - std::begin(kConsequenceWords));
    }
    const auto measure = ReadMeasure(consequence, row.consequence_value);
    if (!measure.ok()) consequence = priority::GrantConsequence::kNone;
    standings.push_back({.name = row.name,
                         .accounts = row.accounts,
                         .user = row.user_name,
                         .tres = row.tres,
                         .available = row.available,
                         .used = row.used,
                         .until = row.until_time,
                         .ends = row.ends,
                         .has_grace = row.has_grace,
                         .has_borrow = row.has_borrow,
                         .has_others = row.has_others,
                         .consequence = consequence,
                         .demoted_qos = row.demoted_qos,
                         .measure = measure.value_or(priority::GrantMeasure())});
  }
  return standings;
}

}  // namespace priorityd::grants
