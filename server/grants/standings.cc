#include "server/grants/standings.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/grants/consequence.h"
#include "engine/grants/stack_standing.h"

namespace priorityd::grants {
namespace {

bool IsInForce(const Grant& grant, absl::Time time) {
  return grant.begin <= time && time < grant.end;
}

// For thresholds: a rolling window, which moves with every day, is always the same one, and the
// amount is the one that was granted, which no late record of an earlier window changes.
std::string WindowOf(const Grant& grant, const Balance& present) {
  const absl::Time begin = grant.window == WindowKind::kRolling ? grant.begin : present.begin;
  return absl::StrCat(absl::ToUnixMicros(begin), "/",
                      (present.granted + present.transferred).ToDecimal());
}

}  // namespace

void WindowsOfStack(const Stack& stack, absl::Span<const Period> periods,
                    const absl::TimeZone& zone, absl::Time time, GrantWindows* windows) {
  auto of_stack = BalancesOf(stack.grants, periods, zone, time);
  for (size_t i = 0; i < of_stack.size(); ++i) {
    (*windows)[stack.places[i]] = std::move(of_stack[i]);
  }
}

GrantWindows WindowsOf(const GrantBook& book, const StackPeriods& periods,
                       const absl::TimeZone& zone, absl::Time time) {
  GrantWindows all(book.grants.size());
  for (size_t k = 0; k < book.stacks.size(); ++k) {
    WindowsOfStack(book.stacks[k], periods[k], zone, time, &all);
  }
  return all;
}

std::optional<priority::GrantStanding> StandingOf(const GrantBook& book, const Stack& stack,
                                                  const GrantWindows& windows, absl::Time time) {
  const auto present = [&](size_t i) -> const Balance& { return windows[stack.places[i]].back(); };
  auto of = StandingOf(stack.grants, present, time);
  if (!of.has_value()) return std::nullopt;
  const StoredGrant& stored = book.grants[stack.places[of->last]];
  priority::GrantStanding& standing = of->standing;
  standing.accounts = stack.owner.accounts;
  standing.user = stack.owner.user;
  standing.tres = stack.owner.tres;
  standing.consequence = stored.consequence;
  standing.demoted_qos = stored.row.demoted_qos;
  standing.measure = stored.measure;
  return std::move(standing);
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

std::optional<budgets::GrantLevel> LevelOf(const StoredGrant& stored,
                                           const std::vector<Balance>& windows, absl::Time time) {
  if (!IsInForce(stored.grant, time)) return std::nullopt;
  const storage::Grant& row = stored.row;
  const Balance& balance = windows.back();
  return budgets::GrantLevel{.grant = row.name,
                             .window = WindowOf(stored.grant, balance),
                             .account = row.accounts.size() == 1 ? row.accounts.front() : "",
                             .user = row.user_name,
                             .tres = row.tres,
                             .available = balance.available().seconds(),
                             .used = balance.used.seconds()};
}

storage::GrantStanding ToRow(const priority::GrantStanding& standing, size_t place) {
  return {.place = static_cast<int64_t>(place),
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
          .consequence_value = MeasureText(standing.consequence, standing.measure)};
}

absl::StatusOr<std::vector<priority::GrantStanding>> FromRows(
    const std::vector<storage::GrantStanding>& rows) {
  std::vector<priority::GrantStanding> standings;
  for (const storage::GrantStanding& row : rows) {
    auto consequence =
        ReadStoredConsequence(absl::StrCat("standing of grant ", row.name), row.consequence,
                              row.demoted_qos, row.consequence_value);
    if (!consequence.ok()) return consequence.status();
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
                         .consequence = consequence->kind,
                         .demoted_qos = std::move(consequence->demoted_qos),
                         .measure = std::move(consequence->measure)});
  }
  return standings;
}

}  // namespace priorityd::grants
