#include "server/administration/changes/reservation_change.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/hostlist.h"
#include "engine/slurm/words/name.h"
#include "server/administration/settings/newest_policy.h"
#include "server/administration/settings/to_storage.h"
#include "server/configuration/stored_rows.h"
#include "storage/configuration/association_search.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/reservation_store.h"
#include "storage/configuration/user_alias_store.h"

namespace priorityd::administration {
namespace {

using StringList = std::vector<std::string>;
using StoredReservations = std::vector<storage::Reservation>;

std::string ReservationObject(const std::string& name) {
  return absl::StrCat("reservation ", name);
}

StoredReservations::iterator Find(StoredReservations& all, const std::string& name) {
  return absl::c_find_if(all, [&](const storage::Reservation& row) { return row.name == name; });
}

absl::Status UnknownReservation(size_t i, const std::string& name) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("names[", i, "]: Requested reservation is invalid: got ",
                                       slurm::Quoted(name), ", want an existing reservation")),
      "UNKNOWN_RESERVATION");
}

absl::Status Refuse(absl::string_view reason, absl::string_view message) {
  return errors::WithReason(absl::FailedPreconditionError(message), reason);
}

absl::Status Misnamed(const std::string& field, absl::string_view why) {
  return errors::BadRequestError("INVALID_FIELD", {{field, std::string(why)}});
}

absl::Status CheckNewReservationName(size_t i, const std::string& name) {
  absl::Status status = slurm::CheckName({name.data(), name.size()});
  const bool is_one = !name.empty() && name.find_first_of(", ") == std::string::npos;
  if (status.ok() && !is_one) status = slurm::Unexpected(name, "the name of one reservation");
  return status.ok() ? status : Misnamed(absl::StrCat("names[", i, "]"), status.message());
}

using Hosts = absl::flat_hash_set<std::string>;

// None of ALL.
Hosts HostsOf(const std::string& nodes) {
  if (nodes == "ALL") return {};
  const auto hosts = slurm::ExpandHostlist(nodes);
  return hosts.ok() ? Hosts(hosts->begin(), hosts->end()) : Hosts();
}

// Whether `nodes`, a host list or ALL, has one of `hosts`, which are those of `of`.
bool Share(const std::string& of, const Hosts& hosts, const std::string& nodes) {
  if (of == "ALL" || nodes == "ALL") return true;
  const auto others = slurm::ExpandHostlist(nodes);
  return others.ok() &&
         absl::c_any_of(*others, [&](const std::string& host) { return hosts.contains(host); });
}

// The checks of one reservation against the cluster.
class Check {
 public:
  Check(storage::Transaction& transaction, int32_t cluster_id,
        const priority::Reservation& reservation, absl::Time now)
      : transaction_(transaction),
        cluster_id_(cluster_id),
        reservation_(reservation),
        hosts_(HostsOf(reservation.nodes)),
        now_(now) {}

  absl::Status Partition() const {
    if (reservation_.partition.empty()) return absl::OkStatus();
    auto all = storage::PartitionStore(transaction_).List(cluster_id_);
    if (!all.ok()) return all.status();
    const auto is_it = [&](const storage::Partition& p) {
      return p.name == reservation_.partition;
    };
    if (absl::c_any_of(*all, is_it)) return absl::OkStatus();
    return Misnamed(
        "settings",
        absl::StrCat("PartitionName: Invalid partition name specified: got ",
                     slurm::Quoted(reservation_.partition), ", want an existing partition"));
  }

  absl::Status Nodes() const {
    auto files = NewestPolicyFiles(transaction_, cluster_id_);
    if (!files.ok()) return files.status();
    const auto kinds = slurm::ReadNodeKinds(*files);
    if (!kinds.ok() || kinds->empty()) return absl::OkStatus();
    Hosts unknown = hosts_;
    for (const slurm::NodeKind& kind : *kinds) {
      for (const std::string& host : HostsOf(kind.hosts)) unknown.erase(host);
    }
    if (unknown.empty()) return absl::OkStatus();
    return Misnamed("settings", absl::StrCat("Nodes: Invalid node name specified: got ",
                                             slurm::Quoted(*absl::c_min_element(unknown)),
                                             ", want nodes of the policy's NodeName lines"));
  }

  absl::Status Overlap(const StoredReservations& others) const {
    for (const storage::Reservation& row : others) {
      const priority::Reservation other = configuration::ToEngine(row);
      const bool may = reservation_.maint || reservation_.overlap || other.maint || other.overlap;
      if (may || other.name == reservation_.name) continue;
      if (!other.OverlapsTime(reservation_.start, reservation_.end)) continue;
      if (!Share(reservation_.nodes, hosts_, other.nodes)) continue;
      return Refuse("RESERVATION_OVERLAP",
                    absl::StrCat("Requested reservation overlaps with another reservation: ",
                                 other.name, " has some of these nodes in that time"));
    }
    return absl::OkStatus();
  }

  absl::Status Jobs() const {
    if (reservation_.ignore_jobs || reservation_.start > now_ + kLongestRun) {
      return absl::OkStatus();
    }
    auto in_use =
        storage::ReservationStore(transaction_).NodesInUse(cluster_id_, reservation_.start);
    if (!in_use.ok()) return in_use.status();
    for (const std::string& nodes : *in_use) {
      if (!Share(reservation_.nodes, hosts_, nodes)) continue;
      return Refuse("NODES_BUSY", absl::StrCat("Requested nodes are busy: a job may still run on ",
                                               nodes, " then; Flags=IGNORE_JOBS lets it"));
    }
    return absl::OkStatus();
  }

 private:
  static constexpr absl::Duration kLongestRun = absl::Hours(24 * 365);

  storage::Transaction& transaction_;
  const int32_t cluster_id_;
  const priority::Reservation& reservation_;
  const Hosts hosts_;
  const absl::Time now_;
};

// Whether a change of `before` takes other nodes or another time.
bool TakesMore(const storage::Reservation& before, const storage::Reservation& after) {
  return before.id == 0 || after.nodes != before.nodes || after.partition != before.partition ||
         after.start_time < before.start_time || after.end_time > before.end_time ||
         after.flags != before.flags;
}

absl::Status CheckBounds(const StoredReservations& all) {
  size_t nodes = 0;
  for (const storage::Reservation& row : all) {
    nodes += static_cast<size_t>(slurm::CountHosts(row.nodes).value_or(0));
  }
  if (all.size() > kMaxReservations) {
    return Refuse("TOO_MANY_RESERVATIONS",
                  absl::StrCat("got ", all.size(), " reservations of the cluster, want at most ",
                               kMaxReservations));
  }
  if (nodes <= kMaxReservedNodesOfCluster) return absl::OkStatus();
  return Refuse("TOO_MANY_RESERVATIONS",
                absl::StrCat("got ", nodes, " nodes in the cluster's reservations, want at most ",
                             kMaxReservedNodesOfCluster, "; ALL counts as one"));
}

absl::Status DeleteEnded(storage::ReservationStore& store, absl::Time now, StoredReservations* all,
                         ChangeList* list) {
  StoredReservations living;
  for (storage::Reservation& row : *all) {
    if (row.end_time > now) {
      living.push_back(std::move(row));
      continue;
    }
    list->Deleted(ReservationObject(row.name), AttributesOf(row));
    if (absl::Status s = store.Delete(row.cluster_id, row.id, now); !s.ok()) return s;
  }
  *all = std::move(living);
  return absl::OkStatus();
}

// Warns of users and accounts that `after` names, `before` did not, and the cluster lacks.
absl::Status WarnOfUnknownNames(storage::Transaction& transaction,
                                const storage::Reservation& before,
                                const storage::Reservation& after, ChangeList* list) {
  const int32_t cluster_id = after.cluster_id;
  const auto users = storage::UserAliasStore(transaction).UsersAmong(cluster_id, after.users);
  if (!users.ok()) return users.status();
  std::vector<storage::AssociationName> names;
  for (const std::string& account : after.accounts) names.push_back({account, "", ""});
  const auto found = storage::AssociationSearch(transaction).Named(cluster_id, names);
  if (!found.ok()) return found.status();
  StringList accounts;
  for (const storage::Association& row : *found) accounts.push_back(row.account);
  const auto warn = [&](const char* kind, const StringList& old, const StringList& wanted,
                        const StringList& known) {
    for (const std::string& name : wanted) {
      if (absl::c_linear_search(old, name) || absl::c_linear_search(known, name)) continue;
      list->Warn(absl::StrCat(ReservationObject(after.name), ": ", kind, " ", slurm::Quoted(name),
                              " has no association"));
    }
  };
  warn("user", before.users, after.users, *users);
  warn("account", before.accounts, after.accounts, accounts);
  return absl::OkStatus();
}

// Updates a reservation, or creates it (id 0), and records the change.
absl::Status WriteReservation(storage::ReservationStore& store, const storage::Reservation& before,
                              const storage::Reservation& after, ChangeList* list) {
  if (before.id == 0) {
    list->Created(ReservationObject(after.name), AttributesOf(after));
    return store.Insert(after).status();
  }
  list->Updated(ReservationObject(after.name), AttributesOf(before), AttributesOf(after));
  return before == after ? absl::OkStatus() : store.Update(after);
}

}  // namespace

absl::Status UpdateReservations(storage::Transaction& transaction, const storage::Cluster& cluster,
                                const StringList& names, const std::vector<Setting>& settings,
                                bool create, absl::Time now, ChangeList* list) {
  storage::ReservationStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  if (create) {
    if (absl::Status s = DeleteEnded(store, now, &*all, list); !s.ok()) return s;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    auto found = Find(*all, names[i]);
    if (found == all->end()) {
      if (!create) return UnknownReservation(i, names[i]);
      if (absl::Status s = CheckNewReservationName(i, names[i]); !s.ok()) return s;
      found = all->insert(all->end(), {.cluster_id = cluster.id, .name = names[i]});
    }
    const storage::Reservation before = *found;
    auto changed = ApplySettings(settings, before, now);
    if (!changed.ok()) return changed.status();
    *found = ToStorage(cluster.id, *changed);
    found->id = before.id;
    const Check check(transaction, cluster.id, *changed, now);
    absl::Status status = check.Partition();
    if (status.ok()) status = check.Nodes();
    const bool takes_more = TakesMore(before, *found);
    if (status.ok() && takes_more) status = check.Overlap(*all);
    if (status.ok() && takes_more) status = check.Jobs();
    if (status.ok()) status = WriteReservation(store, before, *found, list);
    if (status.ok()) status = WarnOfUnknownNames(transaction, before, *found, list);
    if (!status.ok()) return status;
  }
  return CheckBounds(*all);
}

absl::Status DeleteReservations(storage::Transaction& transaction, const storage::Cluster& cluster,
                                const StringList& names, absl::Time now, ChangeList* list) {
  storage::ReservationStore store(transaction);
  auto all = store.List(cluster.id);
  if (!all.ok()) return all.status();
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = Find(*all, names[i]);
    if (found == all->end()) return UnknownReservation(i, names[i]);
    list->Deleted(ReservationObject(names[i]), AttributesOf(*found));
    if (absl::Status s = store.Delete(cluster.id, found->id, now); !s.ok()) return s;
    all->erase(found);
  }
  auto jobs = store.CountJobs(cluster.id, names);
  if (!jobs.ok()) return jobs.status();
  if (*jobs == 0) return absl::OkStatus();
  return Refuse("RESERVATION_IN_USE",
                absl::StrCat("Requested reservation is in use: tracked jobs name it: ", *jobs));
}

}  // namespace priorityd::administration
