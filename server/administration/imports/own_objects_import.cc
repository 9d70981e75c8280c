#include "server/administration/imports/own_objects_import.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/changes/alias_change.h"
#include "server/administration/grants/wanted_grant.h"
#include "server/administration/imports/lease_import.h"
#include "server/administration/imports/price_import.h"
#include "server/administration/leases/leased_nice.h"
#include "server/administration/tree/merge_change.h"
#include "server/grants/grant_book.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/grant_store.h"
#include "storage/grants/price_book_store.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::administration {
namespace {

// Aliases that are left out, each with its own warning.
constexpr size_t kMostWarnedAliases = 100;

absl::Status AddPricesOf(storage::Transaction& transaction, int32_t cluster_id,
                         OwnObjects* objects) {
  auto books = storage::PriceBookStore(transaction).List(cluster_id);
  if (!books.ok()) return books.status();
  for (storage::PriceBook& book : *books) objects->price_books.push_back({.book = std::move(book)});
  return absl::OkStatus();
}

absl::Status AddGrantsOf(storage::Transaction& transaction, int32_t cluster_id,
                         OwnObjects* objects) {
  const auto book = grants::ReadGrantBook(transaction, cluster_id);
  if (!book.ok()) return book.status();
  std::map<int64_t, std::string> names;
  for (const grants::StoredGrant& stored : book->grants) {
    names[stored.row.id] = stored.row.name;
    objects->grants.push_back({.name = stored.row.name,
                               .settings = GrantSettingsOf(stored),
                               .revoked_at = stored.row.revoked_at,
                               .by_coordinator = stored.row.by_coordinator,
                               .versions = stored.versions});
  }
  auto transfers = storage::GrantStore(transaction).ListTransfers(cluster_id);
  if (!transfers.ok()) return transfers.status();
  for (storage::GrantTransfer& transfer : *transfers) {
    objects->transfers.push_back({.from = names[transfer.from_id],
                                  .to = names[transfer.to_id],
                                  .transfer = std::move(transfer)});
  }
  return absl::OkStatus();
}

// In the order of ids, which is that of leases with the same begin. Without those of jobs, which
// are no part of a site's files.
absl::Status AddLeasesOf(storage::Transaction& transaction, int32_t cluster_id, absl::Time time,
                         OwnObjects* objects) {
  auto open = storage::LeaseStore(transaction).ListOpen(cluster_id);
  if (!open.ok()) return open.status();
  std::sort(open->begin(), open->end(),
            [](const storage::Lease& a, const storage::Lease& b) { return a.id < b.id; });
  for (storage::Lease& lease : *open) {
    if (storage::EndOf(lease) <= time || lease.kind == kJobKind) continue;
    objects->leases.push_back({.lease = std::move(lease)});
  }
  return absl::OkStatus();
}

absl::Status AddUsersOf(storage::Transaction& transaction, int32_t cluster_id,
                        OwnObjects* objects) {
  auto merges = storage::UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok()) return merges.status();
  const auto membership = storage::DomainStore(transaction).Find(cluster_id);
  if (!membership.ok()) return membership.status();
  for (storage::UserMerge& merge : *merges) {
    if (merge.of_domain && membership->has_value()) continue;  // The domain's export has it.
    objects->merges.push_back({.merge = std::move(merge)});
  }
  auto aliases = storage::UserAliasStore(transaction).List(cluster_id);
  if (!aliases.ok()) return aliases.status();
  for (storage::UserAlias& alias : *aliases) {
    objects->aliases.push_back({.alias = std::move(alias)});
  }
  return absl::OkStatus();
}

// The same error, with the place before its text.
absl::Status AtLine(const std::string& file, int line, const absl::Status& status) {
  if (status.ok() || absl::IsUnavailable(status) || absl::IsAborted(status)) return status;
  return errors::WithReason(absl::Status(status.code(), absl::StrCat(slurm::PlaceText(file, line),
                                                                     ": ", status.message())),
                            errors::ReasonOf(status));
}

absl::Status RemoveOtherMerges(storage::Transaction& transaction, const storage::Cluster& cluster,
                               const OwnObjects& objects, ChangeList* list) {
  std::set<std::pair<std::string, std::string>> named;
  for (const OwnMerge& own : objects.merges) {
    named.emplace(own.merge.from_user, own.merge.into_user);
  }
  const auto present = storage::UserMergeStore(transaction).List(cluster.id);
  if (!present.ok()) return present.status();
  for (const storage::UserMerge& merge : *present) {
    if (named.contains({merge.from_user, merge.into_user})) continue;
    if (merge.of_domain) {
      list->Warn(absl::StrCat("the merge of user ", slurm::Quoted(merge.from_user),
                              " stays: it is of a usage domain with its members"));
      continue;
    }
    absl::Status status = EndOwnMerge(transaction, cluster.id, merge, list);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ImportMerges(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* list) {
  if (objects.merges.empty()) return absl::OkStatus();
  if (how.clean) {
    absl::Status status = RemoveOtherMerges(transaction, cluster, objects, list);
    if (!status.ok()) return status;
  }
  for (const OwnMerge& own : objects.merges) {
    absl::Status status = CopyMerge(transaction, cluster, own.merge, list);
    if (!status.ok()) return AtLine(objects.file, own.line, status);
  }
  return absl::OkStatus();
}

using OwnAliasKey = std::tuple<std::string, std::string, std::string>;

OwnAliasKey KeyOfOwnAlias(const storage::UserAlias& alias) {
  return {alias.source, alias.alias, alias.user_name};
}

// The aliases of the cluster that the file does not have.
absl::StatusOr<Aliases> OtherAliases(storage::Transaction& transaction,
                                     const storage::Cluster& cluster, const OwnObjects& objects) {
  std::set<OwnAliasKey> named;
  for (const OwnAlias& own : objects.aliases) named.insert(KeyOfOwnAlias(own.alias));
  const auto present = storage::UserAliasStore(transaction).List(cluster.id);
  if (!present.ok()) return present.status();
  Aliases others;
  for (const storage::UserAlias& alias : *present) {
    if (!named.contains(KeyOfOwnAlias(alias))) others.push_back(alias);
  }
  return others;
}

// The aliases that can be added, or that the cluster has; warns of the others.
absl::StatusOr<std::vector<const OwnAlias*>> TakenAliases(storage::Transaction& transaction,
                                                          int32_t cluster_id,
                                                          const OwnObjects& objects,
                                                          ChangeList* list) {
  Aliases unfit;
  for (const OwnAlias& own : objects.aliases) {
    if (!own.fault.empty()) unfit.push_back(own.alias);
  }
  const auto held = storage::UserAliasStore(transaction).Find(cluster_id, unfit);
  if (!held.ok()) return held.status();
  std::set<OwnAliasKey> present;
  for (const storage::UserAlias& alias : *held) present.insert(KeyOfOwnAlias(alias));
  std::vector<const OwnAlias*> taken;
  size_t left_out = 0;
  for (const OwnAlias& own : objects.aliases) {
    if (own.fault.empty() || present.contains(KeyOfOwnAlias(own.alias))) {
      taken.push_back(&own);
    } else if (++left_out <= kMostWarnedAliases) {
      list->Warn(absl::StrCat(slurm::PlaceText(objects.file, own.line),
                              ": the alias is not imported: ", own.fault));
    }
  }
  if (left_out > kMostWarnedAliases) {
    list->Warn(absl::StrCat(objects.file, ": ", left_out - kMostWarnedAliases,
                            " more aliases are not imported"));
  }
  return taken;
}

absl::Status ImportAliases(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const OwnObjects& objects, const OwnImport& how, ChangeList* list) {
  if (objects.aliases.empty()) return absl::OkStatus();
  Aliases remove;
  if (how.clean) {
    auto others = OtherAliases(transaction, cluster, objects);
    if (!others.ok()) return others.status();
    remove = *std::move(others);
  }
  const auto taken = TakenAliases(transaction, cluster.id, objects, list);
  if (!taken.ok()) return taken.status();
  Aliases add;
  for (const OwnAlias* own : *taken) add.push_back(own->alias);
  const auto place = [&](size_t i) { return slurm::PlaceText(objects.file, (*taken)[i]->line); };
  return CopyAliases(transaction, cluster, remove, add, place, list);
}

}  // namespace

absl::StatusOr<OwnObjects> ReadStoredObjects(storage::Transaction& transaction, int32_t cluster_id,
                                             absl::Time time) {
  OwnObjects objects;
  absl::Status status = AddPricesOf(transaction, cluster_id, &objects);
  if (status.ok()) status = AddGrantsOf(transaction, cluster_id, &objects);
  if (status.ok()) status = AddLeasesOf(transaction, cluster_id, time, &objects);
  if (status.ok()) status = AddUsersOf(transaction, cluster_id, &objects);
  if (!status.ok()) return status;
  return objects;
}

absl::Status ImportOwnObjects(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const OwnObjects& objects, const OwnImport& how,
                              OwnChanges* changes) {
  absl::Status status = ImportPrices(transaction, cluster.id, objects, how, &changes->grants);
  if (status.ok()) {
    status =
        ImportGrants(transaction, cluster.id, objects, how, &changes->grants, &changes->transfers);
  }
  if (status.ok()) {
    status = ImportLeases(transaction, cluster.id, objects, how, &changes->leases);
  }
  if (status.ok()) status = ImportMerges(transaction, cluster, objects, how, &changes->merges);
  if (status.ok()) status = ImportAliases(transaction, cluster, objects, how, &changes->aliases);
  return status;
}

}  // namespace priorityd::administration
