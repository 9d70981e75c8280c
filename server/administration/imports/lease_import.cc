#include "server/administration/imports/lease_import.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/grants/setting_values.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/leases/lease_change.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/lease_objects.h"
#include "server/administration/leases/lease_reading.h"
#include "server/administration/leases/leased_nice.h"
#include "storage/configuration/lease_store.h"

namespace priorityd::administration {
namespace {

using storage::Lease;

// Of an End, as of a new lease, with room for a file that waits.
constexpr absl::Duration kLongestAhead = absl::Hours(24 * 3660);

// The key by which a lease is the same in two clusters; the comment as files have it.
std::string KeyOfOwn(const Lease& lease) {
  std::string key = absl::StrCat(lease.object, "\n", grants::TimeText(lease.begin_time), "\n",
                                 grants::TimeText(lease.end_time), "\n", lease.created_by, "\n",
                                 slurm::DumpQuoted(lease.comment));
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    absl::StrAppend(&key, "\n", lease.setting_names[i], lease.setting_operators[i],
                    lease.setting_values[i]);
  }
  return key;
}

Attributes AttributesOfOwnLease(const Lease& lease) {
  Attributes attributes;
  for (const Setting& setting : SettingsIn(lease)) {
    std::string op = OperatorText(setting.op);
    op.pop_back();
    attributes[setting.name + op] = setting.value;
  }
  attributes["Begin"] = grants::TimeText(lease.begin_time);
  attributes["End"] = grants::TimeText(storage::EndOf(lease));
  return attributes;
}

std::string ObjectOfLease(const Lease& lease) { return absl::StrCat("lease of ", lease.object); }

// The settings by their full names; faults at the line.
void CheckOwnLease(const OwnObjects& objects, const OwnImport& how, OwnLease* own,
                   slurm::FileViolations* violations) {
  const auto fault = [&](absl::string_view text) {
    violations->Add(objects.file, own->line, absl::StrCat("Lease: ", text));
  };
  Lease& lease = own->lease;
  const absl::Time last = std::max(how.end(), lease.begin_time) + kLongestAhead;
  if (lease.end_time > last) fault("End: got a time that is too late, want at most 10 years ahead");
  const auto settings = LeasableSettings({.kind = lease.kind, .settings = SettingsIn(lease)});
  for (const errors::FieldViolation& violation : errors::ViolationsOf(settings.status())) {
    fault(violation.description);
  }
  if (!settings.ok()) return;
  for (size_t i = 0; i < settings->size(); ++i) lease.setting_names[i] = (*settings)[i].name;
}

// The leases of the file that have not ended; warns of the others.
absl::StatusOr<std::vector<OwnLease>> NotEnded(const OwnObjects& objects, const OwnImport& how,
                                               ChangeList* list) {
  slurm::FileViolations violations;
  std::vector<OwnLease> leases;
  int64_t ended = 0;
  for (OwnLease own : objects.leases) {
    CheckOwnLease(objects, how, &own, &violations);
    if (own.lease.end_time <= how.time) {
      ++ended;
    } else {
      leases.push_back(std::move(own));
    }
  }
  if (!violations.empty()) return violations.ToStatus();
  if (ended > 0) {
    list->Warn(absl::StrCat(objects.file, ": ", ended, " of ", objects.leases.size(),
                            " leases have ended, and are not imported"));
  }
  return leases;
}

// Keeps the leases whose objects exist; warns of the others. Leases end with their objects.
absl::Status DropOrphans(storage::Transaction& transaction, int32_t cluster_id,
                         const std::string& file, ChangeList* list, std::vector<OwnLease>* wanted) {
  std::vector<Lease> leases;
  for (const OwnLease& own : *wanted) leases.push_back(own.lease);
  const auto rows = ReadLeasedRows(transaction, cluster_id, leases);
  if (!rows.ok()) return rows.status();
  std::erase_if(*wanted, [&](const OwnLease& own) {
    if (HasObject(*rows, own.lease)) return false;
    list->Warn(absl::StrCat(slurm::PlaceText(file, own.line), ": ", own.lease.object,
                            " does not exist, and its lease is not imported"));
    return true;
  });
  return absl::OkStatus();
}

// The leases of the cluster that have not ended and that files may have, by key.
absl::StatusOr<std::multimap<std::string, Lease>> PresentLeases(storage::LeaseStore& store,
                                                                int32_t cluster_id,
                                                                absl::Time time) {
  auto open = store.ListOpen(cluster_id);
  if (!open.ok()) return open.status();
  std::multimap<std::string, Lease> present;
  for (Lease& lease : *open) {
    if (lease.kind == kJobKind) continue;
    std::string key = KeyOfOwn(lease);
    if (storage::EndOf(lease) > time) present.emplace(std::move(key), std::move(lease));
  }
  return present;
}

absl::Status EndOthers(storage::LeaseStore& store, int32_t cluster_id,
                       const std::multimap<std::string, Lease>& others, const OwnImport& how,
                       ChangeList* list) {
  std::vector<int64_t> ids;
  for (const auto& [key, lease] : others) {
    ids.push_back(lease.id);
    list->Deleted(ObjectOfLease(lease), AttributesOfOwnLease(lease));
  }
  return ids.empty() ? absl::OkStatus() : store.End(cluster_id, ids, how.end(), how.principal);
}

absl::Status TooManyOwnLeases(const std::string& what, int64_t count, int64_t most) {
  return errors::WithReason(
      absl::ResourceExhaustedError(absl::StrCat("files: got ", count, " leases of ", what,
                                                " that have not ended, want at most ", most)),
      "TOO_MANY_LEASES");
}

absl::Status CheckOwnBounds(const std::vector<Lease>& open, absl::Time time) {
  std::map<std::string, int64_t> of_kinds;
  std::map<std::string, int64_t> of_objects;
  for (const Lease& lease : open) {
    if (storage::EndOf(lease) <= time) continue;
    const bool is_user = lease.kind == "user";
    const int64_t count = ++of_kinds[lease.kind];
    const int64_t most = is_user ? kMaxLeasesOfUsers : kMaxLeases;
    if (count > most) return TooManyOwnLeases(absl::StrCat("kind ", lease.kind), count, most);
    const int64_t of_object = ++of_objects[lease.object];
    const auto most_of_object =
        static_cast<int64_t>(is_user ? kMaxLeasesOfUser : kMaxLeasesOfObject);
    if (of_object > most_of_object) {
      return TooManyOwnLeases(lease.object, of_object, most_of_object);
    }
  }
  return absl::OkStatus();
}

// Warns of new leases whose settings cannot be applied to the rows as they are.
absl::Status WarnOfSkipped(storage::Transaction& transaction, int32_t cluster_id,
                           const OwnObjects& objects, const std::vector<Lease>& open,
                           const std::map<int64_t, int>& lines, ChangeList* list) {
  auto rows = ReadLeasedRows(transaction, cluster_id, open);
  if (!rows.ok()) return rows.status();
  LeasePointers pointers;
  for (const Lease& lease : open) pointers.push_back(&lease);
  for (const SkippedSetting& skipped : FoldLeases(pointers, &*rows)) {
    const auto line = lines.find(skipped.lease_id);
    if (line == lines.end()) continue;
    list->Warn(absl::StrCat(slurm::PlaceText(objects.file, line->second), ": lease of ",
                            skipped.object, " has a setting without effect: ", skipped.why));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportLeases(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* list) {
  if (objects.leases.empty()) return absl::OkStatus();
  storage::LeaseStore store(transaction);
  auto wanted = NotEnded(objects, how, list);
  if (!wanted.ok()) return wanted.status();
  absl::Status dropped = DropOrphans(transaction, cluster_id, objects.file, list, &*wanted);
  if (!dropped.ok()) return dropped;
  auto present = PresentLeases(store, cluster_id, how.time);
  if (!present.ok()) return present.status();
  std::vector<Lease> created;
  std::vector<int> created_at;  // Their lines.
  for (OwnLease& own : *wanted) {
    if (const auto found = present->find(KeyOfOwn(own.lease)); found != present->end()) {
      present->erase(found);
      list->Unchanged();
      continue;
    }
    list->Created(ObjectOfLease(own.lease), AttributesOfOwnLease(own.lease));
    created_at.push_back(own.line);
    created.push_back(std::move(own.lease));
  }
  if (how.clean) {
    if (absl::Status s = EndOthers(store, cluster_id, *present, how, list); !s.ok()) return s;
  }
  if (created.empty()) return absl::OkStatus();
  const auto ids = store.Insert(cluster_id, created);
  if (!ids.ok()) return ids.status();
  std::map<int64_t, int> lines;
  for (size_t i = 0; i < ids->size(); ++i) lines[(*ids)[i]] = created_at[i];
  const auto open = store.ListOpen(cluster_id);
  if (!open.ok()) return open.status();
  if (absl::Status s = CheckOwnBounds(*open, how.time); !s.ok()) return s;
  return WarnOfSkipped(transaction, cluster_id, objects, *open, lines, list);
}

}  // namespace priorityd::administration
