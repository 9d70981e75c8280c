#include "server/grants/grant_book.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/grants/amount.h"

namespace priorityd::grants {
namespace {

template <typename Enum, size_t kSize>
std::optional<Enum> EnumOf(const char* const (&words)[kSize], const std::string& word) {
  const auto* found = std::find(std::begin(words), std::end(words), word);
  if (found == std::end(words)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(words));
}

absl::Status Unreadable(absl::string_view row, const std::string& what) {
  return absl::InternalError(absl::StrCat(row, ": got ", what, ", want a known word"));
}

std::string RowName(const storage::Grant& row) { return absl::StrCat("usage_grant ", row.name); }

absl::StatusOr<StoredGrant> ToEngine(storage::Grant row) {
  StoredGrant stored;
  const auto window = EnumOf<WindowKind>(kWindowWords, row.window_kind);
  if (!window.has_value()) return Unreadable(RowName(row), row.window_kind);
  auto consequence =
      ReadStoredConsequence(RowName(row), row.consequence, row.demoted_qos, row.consequence_value);
  if (!consequence.ok()) return consequence.status();
  stored.consequence = consequence->kind;
  stored.measure = std::move(consequence->measure);
  stored.grant = {.name = row.name,
                  .begin = row.begin_time,
                  .end = std::min(row.end_time, row.revoked_at.value_or(absl::InfiniteFuture())),
                  .window = *window,
                  .rolling_days = row.rolling_days,
                  .carry_over = row.carry_over,
                  .carry_cap = row.carry_cap,
                  .carry_windows = row.carry_windows,
                  .carry_half_life = row.carry_half_life,
                  .borrow = row.borrow,
                  .grace = row.grace,
                  .order = row.use_order};
  stored.row = std::move(row);
  return stored;
}

using Places = std::map<int64_t, size_t>;  // Of grants, by id.

absl::Status AddVersions(storage::GrantStore& store, int32_t cluster_id, const Places& places,
                         GrantBook* book) {
  auto versions = store.ListVersions(cluster_id);
  if (!versions.ok()) return versions.status();
  for (storage::GrantVersion& version : *versions) {
    StoredGrant* stored = &book->grants[places.at(version.grant_id)];
    auto amount = Amount::FromDecimal(version.amount);
    if (!amount.ok()) return Unreadable(RowName(stored->row), version.amount);
    stored->grant.versions.push_back({version.effective_at, *amount});
    stored->versions.push_back(std::move(version));
  }
  return absl::OkStatus();
}

absl::Status AddTransfers(storage::GrantStore& store, int32_t cluster_id, const Places& places,
                          GrantBook* book) {
  auto transfers = store.ListTransfers(cluster_id);
  if (!transfers.ok()) return transfers.status();
  for (const storage::GrantTransfer& transfer : *transfers) {
    StoredGrant* from = &book->grants[places.at(transfer.from_id)];
    StoredGrant* to = &book->grants[places.at(transfer.to_id)];
    auto amount = Amount::FromDecimal(transfer.amount);
    if (!amount.ok()) return Unreadable(RowName(from->row), transfer.amount);
    from->grant.transfers.push_back({transfer.transferred_at, -*amount});
    to->grant.transfers.push_back({transfer.transferred_at, *amount});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Consequence> ReadStoredConsequence(absl::string_view row, const std::string& word,
                                                  const std::string& demoted_qos,
                                                  const std::string& value) {
  const auto kind = EnumOf<priority::GrantConsequence>(kConsequenceWords, word);
  if (!kind.has_value()) return Unreadable(row, word);
  auto measure = ReadMeasure(*kind, value);
  if (!measure.ok()) return Unreadable(row, value);
  return Consequence{*kind, demoted_qos, *std::move(measure)};
}

void MakeStacks(GrantBook* book) {
  std::map<Owner, Stack> stacks;
  for (size_t i = 0; i < book->grants.size(); ++i) {
    const storage::Grant& row = book->grants[i].row;
    const Owner owner = {row.accounts, row.user_name, row.tres};
    Stack& stack = stacks[owner];
    stack.owner = owner;
    stack.grants.push_back(book->grants[i].grant);
    stack.places.push_back(i);
  }
  book->stacks.clear();
  book->stacks_of_account.clear();
  for (auto& [owner, stack] : stacks) {
    const int place = static_cast<int>(book->stacks.size());
    for (const std::string& account : owner.accounts) {
      book->stacks_of_account[account].push_back(place);
    }
    book->stacks.push_back(std::move(stack));
  }
}

GrantBook Select(GrantBook book, absl::FunctionRef<bool(const StoredGrant&)> is_wanted) {
  std::vector<bool> keeps(book.grants.size());
  for (const Stack& stack : book.stacks) {
    const bool wanted =
        absl::c_any_of(stack.places, [&](size_t place) { return is_wanted(book.grants[place]); });
    for (const size_t place : stack.places) keeps[place] = wanted;
  }
  GrantBook selected;
  for (size_t i = 0; i < book.grants.size(); ++i) {
    if (keeps[i]) selected.grants.push_back(std::move(book.grants[i]));
  }
  MakeStacks(&selected);
  return selected;
}

absl::StatusOr<GrantBook> ReadGrantBook(storage::Transaction& transaction, int32_t cluster_id) {
  storage::GrantStore store(transaction);
  auto rows = store.List(cluster_id);
  if (!rows.ok()) return rows.status();
  GrantBook book;
  Places places;
  for (storage::Grant& row : *rows) {
    places[row.id] = book.grants.size();
    auto stored = ToEngine(std::move(row));
    if (!stored.ok()) return stored.status();
    book.grants.push_back(*std::move(stored));
  }
  if (book.grants.empty()) return book;
  absl::Status status = AddVersions(store, cluster_id, places, &book);
  if (status.ok()) status = AddTransfers(store, cluster_id, places, &book);
  if (!status.ok()) return status;
  MakeStacks(&book);
  return book;
}

}  // namespace priorityd::grants
