#include "server/administration/imports/import_audit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/slurm/words/numbers.h"
#include "server/administration/settings/partition_settings.h"
#include "server/administration/settings/qos_settings.h"
#include "server/administration/tree/association_attributes.h"

namespace priorityd::administration {
namespace {

// The totals from NodeName and Licenses lines.
Attributes TotalsOf(const storage::Cluster& cluster) {
  Attributes attributes;
  attributes["Nodes"] = absl::StrCat(cluster.nodes.value_or(0));
  attributes["CPUs"] = slurm::DecimalText(cluster.cpus.value_or(0));
  for (const storage::NamedAmount& tres : cluster.tres) {
    attributes[tres.name] = slurm::DecimalText(tres.amount);
  }
  return attributes;
}

template <typename Row>
void AuditRow(const char* kind, const Row* before, const Row* after, ImportAudit* audit) {
  std::string object = absl::StrCat(kind, " ", (after == nullptr ? before : after)->name);
  if (before == nullptr) {
    audit->Created(
        [&](ChangeList* list) { list->Created(std::move(object), AttributesOf(*after)); });
  } else if (after == nullptr) {
    audit->Changed(
        [&](ChangeList* list) { list->Deleted(std::move(object), AttributesOf(*before)); });
  } else {
    audit->Changed([&](ChangeList* list) {
      list->Updated(std::move(object), AttributesOf(*before), AttributesOf(*after));
    });
  }
}

bool HasRights(const storage::ClusterUser& user) {
  return !user.coordinated.empty() || (!user.admin_level.empty() && user.admin_level != "None");
}

}  // namespace

void ImportAudit::Add(Describe describe, ChangeList* list, int64_t* count) {
  ++*count;
  if (list->changes().size() < kMostEvents) describe(list);
}

void ImportAudit::Include(const ChangeList& list) {
  for (const Change& change : list.changes()) {
    const auto add = [&](ChangeList* into) { into->Add(change); };
    change.kind == ChangeKind::kCreated ? Created(add) : Changed(add);
  }
}

size_t ImportAudit::CreatedEvents() const {
  return std::min(created_.changes().size(), kMostEvents - changed_.changes().size());
}

int64_t ImportAudit::omitted() const {
  // Changes without a visible difference need no event.
  const int64_t same = changed_.counts().unchanged + created_.counts().unchanged;
  const size_t written = changed_.changes().size() + CreatedEvents();
  return changed_count_ + created_count_ - same - static_cast<int64_t>(written);
}

absl::Status ImportAudit::Append(storage::Transaction& transaction,
                                 const storage::AuditEvent& frame) const {
  absl::Status status = changed_.Audit(transaction, frame, kMostEvents);
  if (status.ok()) status = created_.Audit(transaction, frame, CreatedEvents());
  return status;
}

void RecordChange(const storage::Qos* before, const storage::Qos* after, ImportAudit* audit) {
  AuditRow("qos", before, after, audit);
}

void RecordChange(const storage::Partition* before, const storage::Partition* after,
                  ImportAudit* audit) {
  AuditRow("partition", before, after, audit);
}

void RecordChange(const storage::ClusterUser* before, const storage::ClusterUser* after,
                  ImportAudit* audit) {
  if (before != nullptr || !HasRights(*after)) return AuditRow("user", before, after, audit);
  audit->Changed([&](ChangeList* list) {
    list->Created(absl::StrCat("user ", after->name), AttributesOf(*after));
  });
}

void RecordChange(const storage::Cluster& before, const storage::Cluster& after,
                  ImportAudit* audit) {
  audit->Changed([&](ChangeList* list) {
    list->Updated(absl::StrCat("cluster ", after.name), TotalsOf(before), TotalsOf(after));
  });
}

}  // namespace priorityd::administration
