#include "server/recalculation/leased_configuration.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "server/administration/leases/lease_reading.h"
#include "server/administration/leases/leased_nice.h"

namespace priorityd::recalculation {
namespace {

std::vector<int64_t> IdsOf(const administration::LeasePointers& leases) {
  std::vector<int64_t> ids;
  for (const storage::Lease* lease : leases) ids.push_back(lease->id);
  return ids;
}

administration::LeasePointers WithoutJobs(administration::LeasePointers leases) {
  leases.erase(std::remove_if(leases.begin(), leases.end(),
                              [](const storage::Lease* lease) {
                                return lease->kind == administration::kJobKind;
                              }),
               leases.end());
  return leases;
}

// The folded rows of the objects of `leases`.
configuration::Overlay OverlayOf(const administration::LeasePointers& leases,
                                 const administration::LeasedRows& rows) {
  configuration::Overlay overlay;
  std::set<int64_t> associations;
  std::set<std::string> users, qos, partitions;
  for (const storage::Lease* lease : leases) {
    if (lease->kind == "association") {
      const storage::Association* row =
          rows.tree.Find(lease->account, lease->user_name, lease->partition);
      if (row != nullptr && associations.insert(row->id).second) {
        overlay.associations.push_back(*row);
      }
    } else if (lease->kind == "user") {
      const auto user = rows.users.find(lease->user_name);
      if (user != rows.users.end() && users.insert(user->first).second) {
        overlay.users.push_back(user->second);
      }
    } else {
      (lease->kind == "qos" ? qos.insert(lease->qos) : partitions.insert(lease->partition));
    }
  }
  for (const storage::Qos& row : rows.qos) {
    if (qos.count(row.name) > 0) overlay.qos.push_back(row);
  }
  for (const storage::Partition& row : rows.partitions) {
    if (partitions.count(row.name) > 0) overlay.partitions.push_back(row);
  }
  return overlay;
}

}  // namespace

absl::StatusOr<LeaseBook> ReadLeaseBook(storage::Transaction& transaction, int32_t cluster_id,
                                        int64_t revision) {
  LeaseBook book{.revision = revision, .open = {}, .rows = {}, .merges = {}};
  auto open = storage::LeaseStore(transaction).ListOpen(cluster_id);
  if (!open.ok()) return open.status();
  book.open = *std::move(open);
  auto rows = administration::ReadLeasedRows(transaction, cluster_id, book.open);
  if (!rows.ok()) return rows.status();
  book.rows = *std::move(rows);
  auto merges = storage::UserMergeStore(transaction).List(cluster_id);
  if (!merges.ok()) return merges.status();
  book.merges = *std::move(merges);
  return book;
}

absl::Status LeasedConfiguration::Update(const LeaseBook& book, Shared base, absl::Time time) {
  const administration::LeasePointers leases = administration::LeasesAt(book.open, time);
  std::vector<int64_t> ids = IdsOf(leases);
  if (base == base_ && ids == in_effect_) return absl::OkStatus();
  configuration_ = nullptr;
  base_ = std::move(base);
  in_effect_ = std::move(ids);
  overlay_ = {};
  Shared folded = configuration::WithLeasedNices(Fold(book, WithoutJobs(leases)),
                                                 administration::LeasedNicesAt(book.open, time));
  configuration_ = configuration::WithMergedUsers(std::move(folded), book.merges);
  return absl::OkStatus();
}

LeasedConfiguration::Shared LeasedConfiguration::Fold(const LeaseBook& book,
                                                      const administration::LeasePointers& leases) {
  if (leases.empty()) return base_;
  administration::LeasedRows rows = book.rows;
  for (const auto& skipped : administration::FoldLeases(leases, &rows)) {
    spdlog::warn("{}: lease {} of {} is not in effect: {}", base_->cluster.name, skipped.lease_id,
                 absl::Utf8SafeCHexEscape(skipped.object), absl::Utf8SafeCHexEscape(skipped.why));
  }
  overlay_ = OverlayOf(leases, rows);
  auto configuration = configuration::WithOverlay(*base_, overlay_);
  if (configuration.ok()) return *std::move(configuration);
  // Every replica comes to the same, so that their numbers agree.
  spdlog::error("{}: no lease is in effect: {}", base_->cluster.name,
                absl::Utf8SafeCHexEscape(configuration.status().ToString()));
  overlay_ = {};
  return base_;
}

std::vector<int64_t> OrphansAt(const LeaseBook& book, absl::Time time) {
  std::vector<int64_t> orphans;
  for (const storage::Lease& lease : book.open) {
    const bool is_open = lease.kind == administration::kJobKind && storage::EndOf(lease) > time;
    if (is_open && book.rows.jobs.count(lease.job_id) == 0) orphans.push_back(lease.id);
  }
  return orphans;
}

absl::Time NextPassage(const LeaseBook& book, absl::Time time) {
  absl::Time next = absl::InfiniteFuture();
  for (const storage::Lease& lease : book.open) {
    for (const absl::Time at : {lease.begin_time, storage::EndOf(lease)}) {
      if (at > time) next = std::min(next, at);
    }
  }
  return next;
}

void MarkPassed(const std::vector<administration::LeasePassage>& passages, LeaseBook* book) {
  if (passages.empty()) return;
  absl::flat_hash_map<int64_t, storage::Lease*> by_id;
  for (storage::Lease& lease : book->open) by_id[lease.id] = &lease;
  for (const administration::LeasePassage& passage : passages) {
    storage::Lease* lease = by_id[passage.lease_id];
    if (lease == nullptr) continue;
    (passage.is_end ? lease->end_passed : lease->begin_passed) = true;
  }
}

}  // namespace priorityd::recalculation
