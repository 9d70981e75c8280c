#include "server/administration/grants/grant_checks.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/tres_sum.h"
#include "engine/slurm/words/file_violations.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::administration {
namespace {

// `now` as a Begin is a whole second.
constexpr absl::Duration kRounding = absl::Seconds(1);

// `NAME: got X, want Y` of a setting.
absl::Status BadSetting(absl::string_view name, absl::string_view message,
                        const SettingPlaces& places) {
  const auto place = places.find(std::string(name));
  const std::string field =
      place == places.end() ? "settings" : absl::StrCat("settings[", place->second, "].value");
  return errors::BadRequestError("INVALID_FIELD", {{field, absl::StrCat(name, ": ", message)}});
}

// Of the same owner and TRES at one time. An operator's grant takes the place of a coordinator's.
bool IsBeside(const grants::StoredGrant& other, const storage::Grant& row) {
  return other.row.accounts == row.accounts && other.row.user_name == row.user_name &&
         other.row.tres == row.tres && other.row.name != row.name &&
         (row.by_coordinator || !other.row.by_coordinator) && other.grant.begin < row.end_time &&
         row.begin_time < other.grant.end;
}

absl::Status ReadTres(storage::Transaction& transaction, int32_t cluster_id, GrantSite* site) {
  const auto tres = storage::TresStore(transaction).ListOf(cluster_id);
  if (!tres.ok()) return tres.status();
  for (const auto& [name, number] : *tres) site->tres.insert(name);
  const auto books = storage::PriceBookStore(transaction).List(cluster_id);
  if (!books.ok()) return books.status();
  for (const storage::PriceBook& book : *books) {
    site->tres.insert(absl::StrCat(priority::kPricePrefix, book.name));
  }
  const auto partitions = storage::PartitionStore(transaction).List(cluster_id);
  if (!partitions.ok()) return partitions.status();
  for (const storage::Partition& partition : *partitions) {
    for (const storage::NamedAmount& total : partition.tres) site->tres.insert(total.name);
    for (const storage::NamedAmount& price : partition.billing_weights) {
      site->tres.insert(price.name);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GrantSite> ReadGrantSite(storage::Transaction& transaction, int32_t cluster_id) {
  auto associations = storage::AssociationStore(transaction).List(cluster_id);
  if (!associations.ok()) return associations.status();
  auto all_qos = storage::QosStore(transaction).List(cluster_id);
  if (!all_qos.ok()) return all_qos.status();
  const auto merges = storage::UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok()) return merges.status();
  absl::flat_hash_set<std::string> merged;
  for (const storage::UserMerge& merge : *merges) merged.insert(merge.from_user);
  GrantSite site;
  for (const storage::Association& association : *associations) {
    if (association.user_name.empty()) {
      site.accounts.insert(association.account);
    } else if (!merged.contains(association.user_name)) {
      site.users.emplace(association.account, association.user_name);
    }
  }
  for (const storage::Qos& qos : *all_qos) site.qos.insert(qos.name);
  if (absl::Status s = ReadTres(transaction, cluster_id, &site); !s.ok()) return s;
  return site;
}

absl::Status CheckNames(const GrantSite& site, const storage::Grant& before,
                        const grants::Settings& settings, const SettingPlaces& places) {
  for (const std::string& account : settings.accounts) {
    if (site.accounts.contains(account)) continue;
    if (absl::c_linear_search(before.accounts, account)) continue;
    return BadSetting("Accounts",
                      absl::StrCat("got ", slurm::Quoted(account), ", want an existing account"),
                      places);
  }
  const bool has_user = settings.user.empty() || settings.user == before.user_name ||
                        site.users.contains({settings.accounts.front(), settings.user});
  if (!has_user) {
    return BadSetting(
        "User", absl::StrCat("got ", slurm::Quoted(settings.user), ", want a user of the account"),
        places);
  }
  const std::string& qos = settings.demoted_qos;
  if (qos.empty() || qos == before.demoted_qos || site.qos.contains(qos)) return absl::OkStatus();
  return BadSetting("Consequence",
                    absl::StrCat("got ", slurm::Quoted(qos), ", want an existing QOS"), places);
}

absl::Status CheckKept(const storage::Grant& before, const storage::Grant& after, absl::Time now,
                       const SettingPlaces& places) {
  if (before.id == 0 || before.begin_time > now) return absl::OkStatus();
  const std::pair<const char*, bool> kept[] = {
      {"Accounts", before.accounts == after.accounts},
      {"User", before.user_name == after.user_name},
      {"TRES", before.tres == after.tres},
      {"Begin", before.begin_time == after.begin_time},
      {"Window",
       before.window_kind == after.window_kind && before.rolling_days == after.rolling_days},
      {"CarryOver", before.carry_over == after.carry_over},
      {"CarryOverCap", before.carry_cap == after.carry_cap},
      {"CarryOverWindows", before.carry_windows == after.carry_windows},
      {"CarryOverHalfLife", before.carry_half_life == after.carry_half_life},
      {"Borrow", before.borrow == after.borrow},
      {"Order", before.use_order == after.use_order}};
  for (const auto& [name, is_kept] : kept) {
    if (is_kept) continue;
    return BadSetting(name,
                      "got a change of a grant that has begun, want that of a new grant: revoke "
                      "this one, create another",
                      places);
  }
  if (after.end_time >= now || after.end_time == before.end_time) return absl::OkStatus();
  return BadSetting("End", "got a time that has passed, want a later one, or `now`", places);
}

absl::Status CheckAlone(const grants::GrantBook& book, const storage::Grant& row,
                        const SettingPlaces& places) {
  for (const grants::StoredGrant& other : book.grants) {
    const bool rolls = other.row.window_kind == "rolling" || row.window_kind == "rolling";
    if (!rolls || !IsBeside(other, row)) continue;
    return BadSetting("Window",
                      absl::StrCat("got a rolling window beside grant ", other.row.name,
                                   " of the same accounts, user and TRES, want no other one at "
                                   "that time"),
                      places);
  }
  return absl::OkStatus();
}

bool IsLimitBeside(const grants::StoredGrant& other, const storage::Grant& row) {
  return other.row.by_coordinator && other.row.id != 0 && other.row.accounts == row.accounts &&
         other.row.user_name == row.user_name && other.row.tres == row.tres &&
         other.grant.begin < row.end_time && row.begin_time < other.grant.end &&
         other.grant.begin < other.grant.end;
}

std::string UnknownTresWarning(const GrantSite& site, const std::string& tres) {
  std::vector<std::string> unknown;
  for (const priority::TresTerm& term : priority::TresTermsOf(tres)) {
    if (!site.tres.contains(term.tres)) unknown.push_back(absl::CHexEscape(term.tres));
  }
  if (unknown.empty()) return "";
  return absl::StrCat(
      "TRES: the cluster does not have ", absl::StrJoin(unknown, " "),
      ": the grant counts 0 of it until ",
      priority::IsPrice(tres) ? "a price book is imported" : "a usage record has it");
}

std::string ChangedBy(const grants::GrantBook& book, const storage::Grant& row, absl::Time now) {
  if (row.id != 0 || row.begin_time >= now - kRounding) return "";
  for (const grants::StoredGrant& other : book.grants) {
    if (IsBeside(other, row) && other.grant.begin < now) return other.row.name;
  }
  return "";
}

}  // namespace priorityd::administration
