#include "server/administration/leases/lease_reading.h"

#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "server/administration/leases/leased_nice.h"
#include "server/administration/tree/tree_reading.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {
namespace {

constexpr absl::Duration kKeepEnded = absl::Hours(24 * 400);
constexpr absl::Duration kKeepCancelled = absl::Hours(24 * 30);
// Of the audit events of begins and ends.
constexpr char kServicePrincipal[] = "priorityd";

absl::Status ReadLeasedTree(storage::Transaction& transaction,
                            absl::Span<const storage::Lease> leases, TreeState* state) {
  std::vector<storage::AssociationName> names;
  std::set<std::string> users;
  for (const storage::Lease& lease : leases) {
    if (lease.kind == "association") {
      names.push_back({lease.account, lease.user_name, lease.partition});
    } else if (lease.kind == "user") {
      users.insert(lease.user_name);
    }
  }
  TreeReading reading(transaction, state);
  absl::Status status;
  if (!names.empty()) status = reading.AddNamed(names);
  if (users.empty() || !status.ok()) return status;
  const std::vector<std::string> list(users.begin(), users.end());
  status = reading.AddUsers(list);
  if (!status.ok()) return status;
  return reading.AddFitting({.accounts = std::nullopt, .users = list, .ids = std::nullopt},
                            /*with_below=*/false);
}

using LeasesByObject = std::map<std::string, std::vector<storage::Lease>>;

LeasesByObject ByObject(std::vector<storage::Lease> leases) {
  LeasesByObject by_object;
  for (storage::Lease& lease : leases) {
    std::vector<storage::Lease>& of = by_object[lease.object];
    of.push_back(std::move(lease));
  }
  return by_object;
}

// The leases of an object with those of `objects` that change lists of QOS, in the order of
// folding.
std::vector<storage::Lease> WithAbove(std::vector<storage::Lease> leases,
                                      const std::vector<std::string>& objects,
                                      const LeasesByObject& above) {
  if (absl::c_none_of(leases, ChangesQosList)) return leases;
  for (const std::string& object : objects) {
    const auto found = above.find(object);
    if (found == above.end()) continue;
    absl::c_copy_if(found->second, std::back_inserter(leases), ChangesQosList);
  }
  absl::c_sort(leases, [](const storage::Lease& a, const storage::Lease& b) {
    return std::tie(a.begin_time, a.id) < std::tie(b.begin_time, b.id);
  });
  return leases;
}

using PassagesById = absl::flat_hash_set<int64_t>;

absl::StatusOr<PassagesById> NoteIn(storage::LeaseStore& store, int32_t cluster_id,
                                    const std::vector<LeasePassage>& passages, bool ends) {
  std::vector<int64_t> ids;
  for (const LeasePassage& passage : passages) {
    if (passage.is_end == ends) ids.push_back(passage.lease_id);
  }
  if (ids.empty()) return PassagesById();
  auto noted = ends ? store.PassEnds(cluster_id, ids) : store.PassBegins(cluster_id, ids);
  if (!noted.ok()) return noted.status();
  return PassagesById(noted->begin(), noted->end());
}

// Such as `Fairshare=200`, of an update.
storage::AuditEvent EventOf(const LeasePassage& passage, int32_t cluster_id) {
  ChangeList list;
  list.Updated(passage.object, passage.before, passage.after);
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = kServicePrincipal;
  event.action = passage.is_end ? "LeaseEnd" : "LeaseBegin";
  event.object = passage.object;
  if (!list.changes().empty()) {
    event.before = list.changes().front().before;
    event.after = list.changes().front().after;
  }
  event.comment = passage.comment;
  return event;
}

absl::Status NoteAll(storage::Transaction& transaction, int32_t cluster_id,
                     const std::vector<LeasePassage>& passages, absl::Time time) {
  if (passages.empty()) return absl::OkStatus();
  storage::LeaseStore store(transaction);
  auto begins = NoteIn(store, cluster_id, passages, /*ends=*/false);
  if (!begins.ok()) return begins.status();
  auto ends = NoteIn(store, cluster_id, passages, /*ends=*/true);
  if (!ends.ok()) return ends.status();
  std::vector<storage::AuditEvent> events;
  for (const LeasePassage& passage : passages) {
    const PassagesById& noted = passage.is_end ? *ends : *begins;
    if (noted.contains(passage.lease_id)) events.push_back(EventOf(passage, cluster_id));
  }
  if (events.empty()) return absl::OkStatus();
  absl::Status status = storage::AuditStore(transaction).Append(events);
  if (!status.ok()) return status;
  return DeleteOldLeases(transaction, cluster_id, time);
}

}  // namespace

absl::StatusOr<LeasedRows> ReadLeasedRows(storage::Transaction& transaction, int32_t cluster_id,
                                          absl::Span<const storage::Lease> leases) {
  LeasedRows rows;
  if (leases.empty()) return rows;
  TreeState state;
  state.cluster_id = cluster_id;
  if (absl::Status s = ReadLeasedTree(transaction, leases, &state); !s.ok()) return s;
  rows.tree = std::move(state.tree);
  rows.users = std::move(state.users);
  auto qos = storage::QosStore(transaction).List(cluster_id);
  if (!qos.ok()) return qos.status();
  rows.qos = *std::move(qos);
  auto partitions = storage::PartitionStore(transaction).List(cluster_id);
  if (!partitions.ok()) return partitions.status();
  rows.partitions = *std::move(partitions);
  if (absl::Status s = ReadLeasedJobs(transaction, cluster_id, leases, &rows); !s.ok()) return s;
  return rows;
}

absl::Status ReadLeasedJobs(storage::Transaction& transaction, int32_t cluster_id,
                            absl::Span<const storage::Lease> leases, LeasedRows* rows) {
  rows->jobs.clear();
  const std::vector<std::string> ids = LeasedJobIds(leases);
  if (ids.empty()) return absl::OkStatus();
  auto jobs = storage::LeaseStore(transaction).ListJobs(cluster_id, ids);
  if (!jobs.ok()) return jobs.status();
  for (storage::LeasedJob& job : *jobs) rows->jobs.emplace(job.job_id, job);
  return absl::OkStatus();
}

absl::StatusOr<ValuesByObject> ReadLeasedValues(storage::Transaction& transaction,
                                                int32_t cluster_id,
                                                const std::vector<std::string>& objects,
                                                absl::Time time) {
  ValuesByObject values;
  if (objects.empty()) return values;
  auto leases = storage::LeaseStore(transaction).ListOpenOf(cluster_id, objects);
  if (!leases.ok()) return leases.status();
  auto rows = ReadLeasedRows(transaction, cluster_id, *leases);
  if (!rows.ok()) return rows.status();
  std::set<std::string> wanted;
  for (const storage::Lease& lease : *leases) {
    if (!ChangesQosList(lease)) continue;
    for (std::string& object : ObjectsAbove(*rows, KeyOf(lease))) wanted.insert(std::move(object));
  }
  LeasesByObject above;
  if (!wanted.empty()) {
    auto open =
        storage::LeaseStore(transaction).ListOpenOf(cluster_id, {wanted.begin(), wanted.end()});
    if (!open.ok()) return open.status();
    above = ByObject(*std::move(open));
  }
  for (const auto& [object, open] : ByObject(*std::move(leases))) {
    const ObjectKey key = KeyOf(open.front());
    values.emplace(
        object, LeasedValues(*rows, key, WithAbove(open, ObjectsAbove(*rows, key), above), time));
  }
  return values;
}

absl::Status NotePassages(storage::Transaction& transaction, int32_t cluster_id,
                          const std::vector<LeasePassage>& passages,
                          const std::vector<int64_t>& orphans, absl::Time time) {
  absl::Status noted = NoteAll(transaction, cluster_id, passages, time);
  if (!noted.ok() || orphans.empty()) return noted;
  return storage::LeaseStore(transaction).End(cluster_id, orphans, time, kServicePrincipal);
}

absl::Status DeleteOldLeases(storage::Transaction& transaction, int32_t cluster_id,
                             absl::Time time) {
  return storage::LeaseStore(transaction)
      .DeleteBefore(cluster_id, time - kKeepEnded, time - kKeepCancelled);
}

}  // namespace priorityd::administration
