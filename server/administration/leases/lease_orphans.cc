#include "server/administration/leases/lease_orphans.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/administration/frame/change_list.h"
#include "server/configuration/stored_policy.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/policy_store.h"

namespace priorityd::administration {
namespace {

// The same as of the ends that recalculations pass.
constexpr char kEnderPrincipal[] = "priorityd";

// The settings of the lease, which the object no longer has.
storage::AuditEvent EndOfOrphan(const storage::Lease& lease, int32_t cluster_id) {
  Attributes settings;
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    std::string op = lease.setting_operators[i];
    op.pop_back();
    settings[lease.setting_names[i] + op] = lease.setting_values[i];
  }
  ChangeList list;
  list.Deleted(lease.object, settings);
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = kEnderPrincipal;
  event.action = "LeaseEnd";
  event.object = lease.object;
  event.before = list.changes().front().before;
  event.comment = absl::StrCat("lease ", lease.id, ": its object was deleted");
  return event;
}

}  // namespace

absl::StatusOr<std::string> EndLeasesOfDeleted(storage::Transaction& transaction,
                                               int32_t cluster_id, absl::Time time,
                                               const std::string& by) {
  const auto ended = storage::LeaseStore(transaction).EndOfDeleted(cluster_id, time, by);
  if (!ended.ok()) return ended.status();
  if (ended->empty()) return std::string();
  std::vector<storage::AuditEvent> events;
  for (const storage::Lease& lease : *ended) events.push_back(EndOfOrphan(lease, cluster_id));
  if (absl::Status s = storage::AuditStore(transaction).Append(events); !s.ok()) return s;
  return absl::StrCat("ended with deleted objects: ", ended->size(),
                      ended->size() == 1 ? " lease" : " leases");
}

absl::StatusOr<absl::Time> LeaseTimeOf(storage::Transaction& transaction, int32_t cluster_id,
                                       const ChangeContext& context) {
  const auto newest = storage::PolicyStore(transaction).Newest(cluster_id);
  if (!newest.ok()) return newest.status();
  const auto conf = configuration::ParseStored(*newest);
  if (!conf.ok()) return conf.status();
  const auto time = ClusterTime(transaction, cluster_id, (*conf)->policy.clock, context.now);
  if (!time.ok()) return time.status();
  // A manual clock without a time: nothing has begun.
  return std::max(*time, absl::UnixEpoch());
}

absl::StatusOr<absl::Time> EndLeasesOfDeleted(storage::Transaction& transaction, int32_t cluster_id,
                                              const ChangeContext& context,
                                              std::vector<std::string>* warnings) {
  const auto at = LeaseTimeOf(transaction, cluster_id, context);
  if (!at.ok()) return at.status();
  auto warning = EndLeasesOfDeleted(transaction, cluster_id, *at, context.principal);
  if (!warning.ok()) return warning.status();
  if (!warning->empty()) warnings->push_back(*std::move(warning));
  return at;
}

}  // namespace priorityd::administration
