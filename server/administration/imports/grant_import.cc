#include "server/administration/imports/grant_import.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/grants/setting_values.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/grants/grant_change.h"
#include "server/administration/grants/grant_checks.h"
#include "server/administration/grants/grant_rights.h"
#include "server/administration/grants/wanted_grant.h"
#include "server/administration/imports/transfer_warnings.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {
namespace {

using grants::GrantBook;
using grants::StoredGrant;
using storage::GrantVersion;

std::string ObjectOfGrant(const std::string& name) { return absl::StrCat("grant ", name); }

// With the last amount, and the time of its revocation.
Attributes AttributesOfOwn(const OwnGrant& own) {
  Attributes cells = grants::Cells(own.settings);
  cells["Amount"] = absl::StrCat(own.versions.back().amount, " TRES-seconds");
  if (own.revoked_at.has_value()) cells["Revoked"] = grants::TimeText(*own.revoked_at);
  return cells;
}

OwnGrant OwnOf(const StoredGrant& stored) {
  return {.name = stored.row.name,
          .settings = GrantSettingsOf(stored),
          .revoked_at = stored.row.revoked_at,
          .by_coordinator = stored.row.by_coordinator,
          .versions = stored.versions};
}

// Whether both are the same version, without their authors.
bool IsSameVersion(const GrantVersion& a, const GrantVersion& b) {
  return a.effective_at == b.effective_at && a.amount == b.amount;
}

// Imports the grants of one file.
class GrantImport {
 public:
  GrantImport(storage::Transaction& transaction, int32_t cluster_id, const OwnObjects& objects,
              const OwnImport& how, ChangeList* list)
      : store_(transaction), cluster_id_(cluster_id), objects_(objects), how_(how), list_(*list) {}

  // `ids` gets those of all grants by name.
  absl::Status Run(const GrantBook& book, const GrantSite& site,
                   std::map<std::string, int64_t>* ids) {
    std::map<std::string, const StoredGrant*> present;
    for (const StoredGrant& stored : book.grants) {
      present[stored.row.name] = &stored;
      (*ids)[stored.row.name] = stored.row.id;
    }
    for (const OwnGrant& own : objects_.grants) {
      const auto found = present.find(own.name);
      absl::Status status = found == present.end() ? Create(own, site, &(*ids)[own.name])
                                                   : Change(own, *found->second);
      if (!status.ok()) return status;
    }
    if (!violations_.empty()) return violations_.ToStatus();
    return how_.clean && !objects_.grants.empty() ? RevokeOthers(book) : absl::OkStatus();
  }

 private:
  // The row with its revocation.
  static storage::Grant RowOfOwn(const OwnGrant& own, int64_t id) {
    storage::Grant row = GrantRowOf(
        own.settings, {.id = id, .name = own.name, .by_coordinator = own.by_coordinator});
    row.revoked_at = own.revoked_at;
    return row;
  }

  absl::Status Create(const OwnGrant& own, const GrantSite& site, int64_t* id) {
    Warn(own, site);
    const auto created = store_.Insert(cluster_id_, RowOfOwn(own, 0));
    if (!created.ok()) return created.status();
    *id = *created;
    list_.Created(ObjectOfGrant(own.name), AttributesOfOwn(own));
    return AddVersions(own, 0, *created);
  }

  absl::Status AddVersions(const OwnGrant& own, size_t from, int64_t id) {
    for (size_t i = from; i < own.versions.size(); ++i) {
      GrantVersion version = own.versions[i];
      version.grant_id = id;
      if (absl::Status s = store_.AddVersion(cluster_id_, version); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Change(const OwnGrant& own, const StoredGrant& stored) {
    const storage::Grant row = RowOfOwn(own, stored.row.id);
    if (!CheckChange(own, row, stored)) return absl::OkStatus();
    if (row == stored.row && own.versions.size() == stored.versions.size()) {
      list_.Unchanged();
      return absl::OkStatus();
    }
    list_.Updated(ObjectOfGrant(own.name), AttributesOfOwn(OwnOf(stored)), AttributesOfOwn(own));
    absl::Status status = row == stored.row ? absl::OkStatus() : store_.Update(cluster_id_, row);
    return status.ok() ? AddVersions(own, stored.versions.size(), row.id) : status;
  }

  // Adds what is wrong with the change of an existing grant; false = something is.
  bool CheckChange(const OwnGrant& own, const storage::Grant& row, const StoredGrant& stored) {
    const auto fault = [&](absl::string_view text) {
      violations_.Add(objects_.file, own.line, absl::StrCat("Grant: ", own.name, ": ", text));
      return false;
    };
    const absl::Status kept = CheckKept(stored.row, row, how_.end(), {});
    for (const errors::FieldViolation& violation : errors::ViolationsOf(kept)) {
      return fault(violation.description);
    }
    if (row.by_coordinator != stored.row.by_coordinator) {
      return fault("ByCoordinator: got another one than that of the cluster, want the same");
    }
    if (stored.row.revoked_at.has_value() && row.revoked_at != stored.row.revoked_at) {
      return fault(absl::StrCat("got it not revoked at that time, want Revoked=",
                                grants::TimeText(*stored.row.revoked_at), " as in the cluster"));
    }
    const size_t had = stored.versions.size();
    const bool follows =
        own.versions.size() >= had && std::equal(stored.versions.begin(), stored.versions.end(),
                                                 own.versions.begin(), IsSameVersion);
    if (follows) return true;
    return fault(absl::StrCat("got ", own.versions.size(), " Amount lines, want the ", had,
                              " amounts of the cluster, and others only after them"));
  }

  void Warn(const OwnGrant& own, const GrantSite& site) {
    if (own.revoked_at.has_value() || own.settings.grant.end <= how_.time) return;
    const absl::Status status = CheckNames(site, {}, own.settings, {});
    for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
      WarnAt(own, violation.description);
    }
    const std::string warning = UnknownTresWarning(site, own.settings.tres);
    if (!warning.empty()) WarnAt(own, warning);
  }

  void WarnAt(const OwnGrant& own, absl::string_view text) {
    list_.Warn(absl::StrCat(slurm::PlaceText(objects_.file, own.line), ": ", own.name, ": ", text));
  }

  absl::Status RevokeOthers(const GrantBook& book) {
    std::set<absl::string_view> named;
    for (const OwnGrant& own : objects_.grants) named.insert(own.name);
    for (const StoredGrant& stored : book.grants) {
      if (stored.row.revoked_at.has_value() || named.contains(stored.row.name)) continue;
      storage::Grant row = stored.row;
      row.revoked_at = how_.end();
      list_.Deleted(ObjectOfGrant(row.name), AttributesOfOwn(OwnOf(stored)));
      if (absl::Status s = store_.Update(cluster_id_, row); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  storage::GrantStore store_;
  const int32_t cluster_id_;
  const OwnObjects& objects_;
  const OwnImport& how_;
  ChangeList& list_;
  slurm::FileViolations violations_;
};

// A transfer without its author.
using TransferKey = std::tuple<int64_t, int64_t, absl::Time, std::string>;

TransferKey KeyOfTransfer(const storage::GrantTransfer& transfer) {
  return {transfer.from_id, transfer.to_id, transfer.transferred_at, transfer.amount};
}

// The transfers of the file with the ids of their grants; faults at their lines.
absl::StatusOr<std::vector<storage::GrantTransfer>> ResolveTransfers(
    const OwnObjects& objects, const std::map<std::string, int64_t>& ids) {
  slurm::FileViolations violations;
  std::vector<storage::GrantTransfer> transfers;
  for (const OwnTransfer& own : objects.transfers) {
    storage::GrantTransfer& transfer = transfers.emplace_back(own.transfer);
    const std::tuple<const char*, const std::string&, int64_t*> ends[] = {
        {"Transfer", own.from, &transfer.from_id}, {"To", own.to, &transfer.to_id}};
    for (const auto& [field, name, id] : ends) {
      const auto found = ids.find(name);
      if (found != ids.end()) {
        *id = found->second;
      } else {
        violations.Add(objects.file, own.line,
                       absl::StrCat(field, ": got ", slurm::Quoted(name),
                                    ", want a grant of the file or of the cluster"));
      }
    }
  }
  if (!violations.empty()) return violations.ToStatus();
  return transfers;
}

absl::Status ImportTransfers(storage::Transaction& transaction, int32_t cluster_id,
                             const OwnObjects& objects, const std::map<std::string, int64_t>& ids,
                             ChangeList* list, std::vector<const OwnTransfer*>* added) {
  storage::GrantStore store(transaction);
  const auto wanted = ResolveTransfers(objects, ids);
  if (!wanted.ok()) return wanted.status();
  const auto present = store.ListTransfers(cluster_id);
  if (!present.ok()) return present.status();
  std::multiset<TransferKey> known;
  for (const storage::GrantTransfer& transfer : *present) known.insert(KeyOfTransfer(transfer));
  for (size_t i = 0; i < wanted->size(); ++i) {
    const storage::GrantTransfer& transfer = (*wanted)[i];
    if (const auto found = known.find(KeyOfTransfer(transfer)); found != known.end()) {
      known.erase(found);
      list->Unchanged();
      continue;
    }
    const OwnTransfer& own = objects.transfers[i];
    list->Created(absl::StrCat("transfer of grant ", own.from),
                  {{"To", own.to},
                   {"Amount", absl::StrCat(transfer.amount, " TRES-seconds")},
                   {"Time", grants::TimeText(transfer.transferred_at)}});
    if (absl::Status s = store.AddTransfer(cluster_id, transfer); !s.ok()) return s;
    added->push_back(&own);
  }
  return absl::OkStatus();
}

// Both grants of a transfer have the same TRES.
absl::Status CheckTransferTres(const GrantBook& book, const OwnObjects& objects) {
  std::map<absl::string_view, absl::string_view> tres;
  for (const StoredGrant& stored : book.grants) tres[stored.row.name] = stored.row.tres;
  slurm::FileViolations violations;
  for (const OwnTransfer& own : objects.transfers) {
    if (tres[own.from] == tres[own.to]) continue;
    violations.Add(
        objects.file, own.line,
        absl::StrCat("To: got a grant of TRES ", tres[own.to], ", want one of ", tres[own.from]));
  }
  return violations.empty() ? absl::OkStatus() : violations.ToStatus();
}

// The end of the last of some grants.
struct EndsOfGrants {
  absl::Time any = absl::InfinitePast();
  absl::Time rolling = absl::InfinitePast();
  absl::Time of_operators = absl::InfinitePast();
  absl::Time of_coordinators = absl::InfinitePast();

  // Whether one of them is in force at the begin of `next` and may not be. `next` begins last.
  bool Excludes(const StoredGrant& next) const {
    const bool rolls = next.grant.window == grants::WindowKind::kRolling;
    return next.grant.begin < (rolls ? any : rolling) ||
           next.grant.begin < (next.row.by_coordinator ? of_operators : of_coordinators);
  }
  void Add(const StoredGrant& stored) {
    const absl::Time end = stored.grant.end;
    absl::Time& of_kind = stored.row.by_coordinator ? of_coordinators : of_operators;
    of_kind = std::max(of_kind, end);
    any = std::max(any, end);
    if (stored.grant.window == grants::WindowKind::kRolling) rolling = std::max(rolling, end);
  }
};

// Whether a grant is in force where `before` was not; null = it is new.
bool IsWidened(const StoredGrant& after, const StoredGrant* before) {
  if (before == nullptr) return true;
  const storage::Grant& a = after.row;
  const storage::Grant& b = before->row;
  return after.grant.begin < before->grant.begin || after.grant.end > before->grant.end ||
         after.grant.window != before->grant.window || a.accounts != b.accounts ||
         a.user_name != b.user_name || a.tres != b.tres;
}

using GrantsById = std::map<int64_t, const StoredGrant*>;

// A grant of the stack that is in force beside another one, where one of the two rolls, or a
// coordinator made one and an operator the other, and where one of the two is widened; null = none.
const StoredGrant* FindOverlap(const GrantBook& book, std::vector<size_t> places,
                               const GrantsById& before) {
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return book.grants[a].grant.begin < book.grants[b].grant.begin;
  });
  EndsOfGrants all, widened;
  for (const size_t place : places) {
    const StoredGrant& stored = book.grants[place];
    if (stored.grant.end <= stored.grant.begin) continue;
    const auto was = before.find(stored.row.id);
    const bool is_widened = IsWidened(stored, was == before.end() ? nullptr : was->second);
    if ((is_widened ? all : widened).Excludes(stored)) return &stored;
    all.Add(stored);
    if (is_widened) widened.Add(stored);
  }
  return nullptr;
}

// `place`: where the file names it.
absl::Status CheckOverlaps(const GrantBook& before, const GrantBook& after,
                           absl::FunctionRef<std::string(const StoredGrant&)> place) {
  GrantsById ids;
  for (const StoredGrant& stored : before.grants) ids[stored.row.id] = &stored;
  for (const grants::Stack& stack : after.stacks) {
    const StoredGrant* grant = FindOverlap(after, stack.places, ids);
    if (grant == nullptr) continue;
    return RefuseGrant("GRANTS_OVERLAP",
                       absl::StrCat(place(*grant), "Window: got grant ", grant->row.name,
                                    " beside another one of the same accounts, user and TRES, of "
                                    "which one has a rolling window or was made by a coordinator, "
                                    "want no other one at a time"));
  }
  return CheckGrantBounds(after);
}

// Of the grant, or else of one of the same owner and TRES.
std::string PlaceOfGrant(const OwnObjects& objects, const StoredGrant& grant) {
  const OwnGrant* place = nullptr;
  for (const OwnGrant& own : objects.grants) {
    const bool is_it = own.name == grant.row.name;
    const bool is_beside = own.settings.accounts == grant.row.accounts &&
                           own.settings.user == grant.row.user_name &&
                           own.settings.tres == grant.row.tres;
    if (is_it || (is_beside && place == nullptr)) place = &own;
    if (is_it) break;
  }
  return place == nullptr ? "" : absl::StrCat(slurm::PlaceText(objects.file, place->line), ": ");
}

}  // namespace

absl::Status CheckGrantBook(const GrantBook& before, const GrantBook& after) {
  return CheckOverlaps(before, after, [](const StoredGrant&) { return std::string(); });
}

absl::Status ImportGrants(storage::Transaction& transaction, int32_t cluster_id,
                          const OwnObjects& objects, const OwnImport& how, ChangeList* grants,
                          ChangeList* transfers) {
  if (objects.grants.empty() && objects.transfers.empty()) return absl::OkStatus();
  const auto book = grants::ReadGrantBook(transaction, cluster_id);
  if (!book.ok()) return book.status();
  const auto site = ReadGrantSite(transaction, cluster_id);
  if (!site.ok()) return site.status();
  std::map<std::string, int64_t> ids;
  const bool has_limits =
      absl::c_any_of(objects.grants, [](const OwnGrant& own) { return own.by_coordinator; });
  absl::Status status = has_limits ? CheckLimitsKnown(transaction, objects.file) : absl::OkStatus();
  if (!status.ok()) return status;
  status = GrantImport(transaction, cluster_id, objects, how, grants).Run(*book, *site, &ids);
  if (!status.ok()) return status;
  std::vector<const OwnTransfer*> added;
  status = ImportTransfers(transaction, cluster_id, objects, ids, transfers, &added);
  if (!status.ok()) return status;
  const auto after = grants::ReadGrantBook(transaction, cluster_id);
  if (!after.ok()) return after.status();
  status = CheckTransferTres(*after, objects);
  if (!status.ok()) return status;
  for (std::string& warning : WarningsOfTransfers(*after, objects, added, how)) {
    transfers->Warn(std::move(warning));
  }
  return CheckOverlaps(*book, *after,
                       [&](const StoredGrant& grant) { return PlaceOfGrant(objects, grant); });
}

}  // namespace priorityd::administration
