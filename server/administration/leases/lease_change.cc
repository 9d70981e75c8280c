#include "server/administration/leases/lease_change.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/partition_words.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/dump/qos_words.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/lease_reading.h"
#include "server/administration/leases/lease_values.h"
#include "server/administration/leases/leased_nice.h"
#include "server/administration/tree/merge_change.h"
#include "server/administration/tree/tree_settings.h"

namespace priorityd::administration {
namespace {

// Of the settings of one lease.
constexpr size_t kMaxLeaseBytes = 4096;
// The objects of one change that are looked up for warnings.
constexpr size_t kMostWarnedOf = 10'000;
// The first migration that programs that rank by leases of jobs know.
constexpr int32_t kMigrationOfJobLeases = 51;

constexpr absl::string_view kNotLeased[] = {
    "Parent",      "RawUsage", "AdminLevel", "Coordinators",       "Description", "Organization",
    "UsageFactor", "Flags",    "Nodes",      "TRESBillingWeights", "Default"};

// The full names of settings, in order.
absl::StatusOr<std::vector<std::string>> WordsOf(const LeaseTerm& term) {
  std::vector<std::string> words;
  if (term.kind == "association" || term.kind == "user") {
    const auto read = ReadSettings(
        term.settings, term.kind == "user" ? SettingsOf::kUsers : SettingsOf::kAssociations);
    if (!read.ok()) return read.status();
    for (const auto& [word, place] : read->places) words.push_back(word);
    return words;
  }
  for (const Setting& setting : term.settings) {
    const absl::string_view name(setting.name.data(), setting.name.size());
    if (term.kind == "qos") {
      const auto word = slurm::FindQosWord(name);
      words.emplace_back(word.ok() ? word->name : name);
    } else {
      const auto word = slurm::FindPartitionWord(name);
      words.emplace_back(word.ok() ? word->name : name);
    }
  }
  return words;
}

bool IsLeasable(const std::string& kind, absl::string_view word) {
  // A reset of a QOS' usage is no word of a QOS.
  if (kind == "qos" && word.size() >= 7 && absl::StartsWithIgnoreCase("RawUsage", word)) {
    return false;
  }
  return absl::c_find(kNotLeased, word) == std::end(kNotLeased);
}

absl::Status TooManyLeases(const std::string& kind, int64_t got, int64_t most,
                           const std::string& where) {
  return errors::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                                kind == kJobKind ? "until" : "options.until", ": got ", got,
                                " leases that have not ended, want at most ", most, where)),
                            "TOO_MANY_LEASES");
}

// Of a bound, what is left to an author who is no operator.
template <typename Count>
Count Left(Count most, const LeaseAuthor& author) {
  return author.share.has_value() ? most - most / kPartForOperators : most;
}

size_t MostOfObject(const std::string& kind, const LeaseAuthor& author) {
  if (kind == kJobKind) return Left(kMaxLeasesOfJob, author);
  return Left(kind == "user" ? kMaxLeasesOfUser : kMaxLeasesOfObject, author);
}

absl::Status CheckCount(storage::LeaseStore& store, int32_t cluster_id, const std::string& kind,
                        int64_t added, const LeaseAuthor& author) {
  const bool is_shared = (kind == "association" || kind == kJobKind) && author.share.has_value();
  const int64_t most = kind == "user" ? Left(kMaxLeasesOfUsers, author)
                       : is_shared    ? kMaxLeasesForCoordinators
                                      : kMaxLeases;
  const auto present = store.CountNotEnded(cluster_id, author.time, kind);
  if (!present.ok()) return present.status();
  if (*present + added > most) {
    return TooManyLeases(kind, *present + added, most, absl::StrCat(" of the kind ", kind));
  }
  if (!author.share.has_value()) return absl::OkStatus();
  // Those that the next recalculation ends count too: it has to read them.
  const auto own = store.CountOpen(cluster_id, kind, *author.share);
  if (!own.ok() || *own + added <= kMaxLeasesOfCoordinator) return own.status();
  return TooManyLeases(kind, *own + added, kMaxLeasesOfCoordinator,
                       " of one who is no operator, with those that the next recalculation ends");
}

absl::Status CheckRoom(storage::LeaseStore& store, int32_t cluster_id, const std::string& kind,
                       const std::vector<storage::Lease>& leases, const LeaseAuthor& author) {
  const size_t most_of_object = MostOfObject(kind, author);
  const auto added = static_cast<int64_t>(leases.size());
  if (absl::Status s = CheckCount(store, cluster_id, kind, added, author); !s.ok()) return s;
  std::vector<std::string> texts;
  for (const storage::Lease& lease : leases) texts.push_back(lease.object);
  const auto open = store.ListOpenOf(cluster_id, texts);
  if (!open.ok()) return open.status();
  absl::flat_hash_map<std::string, size_t> counts;
  for (const storage::Lease& lease : *open) {
    if (EndOf(lease) <= author.time || ++counts[lease.object] < most_of_object) continue;
    return TooManyLeases(kind, static_cast<int64_t>(counts[lease.object] + 1),
                         static_cast<int64_t>(most_of_object), absl::StrCat(" of ", lease.object));
  }
  return absl::OkStatus();
}

storage::Lease LeaseOf(const LeaseTerm& term, const ObjectKey& object, const LeaseAuthor& author) {
  storage::Lease lease;
  lease.kind = object.kind;
  lease.account = object.account;
  lease.user_name = object.user;
  lease.partition = object.partition;
  lease.qos = object.qos;
  lease.job_id = object.job;
  lease.object = TextOf(object);
  for (const Setting& setting : term.settings) {
    lease.setting_names.push_back(setting.name);
    lease.setting_operators.push_back(OperatorText(setting.op));
    lease.setting_values.push_back(setting.value);
  }
  lease.begin_time = term.begin;
  lease.end_time = term.end;
  lease.created_by = author.principal;
  lease.comment = author.comment;
  return lease;
}

// In whole seconds, as `prioctl lease list` and sacctmgr show it.
std::string TimeText(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, zone);
}

// `id` 0 = it has none yet.
std::string NameOfLease(int64_t id, const std::string& object) {
  if (id == 0) return absl::StrCat("lease of ", object);
  return absl::StrCat("lease ", id, " of ", object);
}

// For the audit: its settings, Begin and End.
Attributes AttributesOfLease(const storage::Lease& lease, absl::TimeZone zone) {
  Attributes attributes;
  for (size_t i = 0; i < lease.setting_names.size(); ++i) {
    std::string op = lease.setting_operators[i];
    op.pop_back();
    attributes[lease.setting_names[i] + op] = lease.setting_values[i];
  }
  attributes["Begin"] = TimeText(lease.begin_time, zone);
  attributes["End"] = TimeText(EndOf(lease), zone);
  return attributes;
}

absl::Status InsertLeases(storage::Transaction& transaction, int32_t cluster_id,
                          const std::string& kind, const std::vector<storage::Lease>& leases,
                          const LeaseAuthor& author, ChangeList* list) {
  storage::LeaseStore store(transaction);
  absl::Status status = CheckRoom(store, cluster_id, kind, leases, author);
  if (status.ok()) status = DeleteOldLeases(transaction, cluster_id, author.time);
  if (status.ok() && author.share.has_value()) {
    status = store.DeleteBeyond(cluster_id, kind, *author.share, kMaxEndedLeasesOfAuthor,
                                kMaxEndedLeases);
  }
  if (!status.ok()) return status;
  std::vector<int64_t> ids(leases.size());
  if (!author.validate_only) {
    auto inserted = store.Insert(cluster_id, leases);
    if (!inserted.ok()) return inserted.status();
    ids = *std::move(inserted);
  }
  for (size_t i = 0; i < leases.size(); ++i) {
    list->Created(NameOfLease(ids[i], leases[i].object), AttributesOfLease(leases[i], author.zone));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<storage::Lease>> FindNotEnded(storage::LeaseStore& store,
                                                         int32_t cluster_id,
                                                         const std::vector<int64_t>& ids,
                                                         absl::Time time) {
  storage::LeaseFilter filter;
  filter.ids = ids;
  filter.time = time;
  filter.ended = false;
  filter.cancelled = false;
  auto found = store.List(cluster_id, filter, 0, static_cast<int64_t>(ids.size()));
  if (!found.ok()) return found.status();
  std::reverse(found->begin(), found->end());
  absl::flat_hash_set<int64_t> known;
  for (const storage::Lease& lease : *found) {
    if (!lease.end_passed) known.insert(lease.id);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (known.contains(ids[i])) continue;
    return errors::WithReason(
        absl::NotFoundError(
            absl::StrCat("ids[", i, "]: got ", ids[i], ", want a lease that has not ended")),
        "UNKNOWN_LEASE");
  }
  return found;
}

// In the same words for leases that the caller may not see and for those that do not exist.
absl::Status UnseenLease(const TreeRights& rights) {
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat(
          "ids: got ", rights.caller,
          ", want an operator, or leases that have not ended and that the caller may end")),
      "ROLE_REQUIRED");
}

// The names in texts such as `Fairshare=200 QOS="a b"`.
absl::flat_hash_set<std::string> NamesIn(absl::string_view text) {
  absl::flat_hash_set<std::string> names;
  while (!text.empty()) {
    const size_t equals = text.find('=');
    if (equals == absl::string_view::npos) break;
    names.emplace(text.substr(0, equals));
    size_t end = equals + 1;
    bool quoted = end < text.size() && text[end] == '"';
    for (end += quoted ? 1 : 0; end < text.size(); ++end) {
      if (quoted && text[end] == '\\') {
        ++end;
      } else if (quoted && text[end] == '"') {
        quoted = false;
      } else if (!quoted && text[end] == ' ') {
        break;
      }
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return names;
}

bool IsByCaller(const storage::Lease& lease, const std::string& user,
                const std::optional<storage::LeaseAuthors>& share) {
  const std::string& by = lease.created_by;
  if (!user.empty() && absl::EndsWith(by, absl::StrCat(") on behalf of ", user))) return true;
  return share.has_value() && absl::StartsWith(by, share->begin) && absl::EndsWith(by, share->end);
}

std::string ShownValue(const std::string& value) { return value.empty() ? "unset" : value; }

std::string WarningOf(const LeasedValue& value, const std::string& object, absl::TimeZone zone) {
  return absl::StrCat(value.name, " of ", object, " is ", ShownValue(value.value), " until ",
                      TimeText(value.until, zone), ", then ", ShownValue(value.then), " (lease ",
                      value.lease_id, ")");
}

}  // namespace

absl::StatusOr<std::vector<Setting>> LeasableSettings(const LeaseTerm& term) {
  const auto words = WordsOf(term);
  if (!words.ok()) return words.status();
  errors::Violations violations;
  std::vector<Setting> settings = term.settings;
  size_t bytes = 0;
  for (size_t i = 0; i < settings.size(); ++i) {
    settings[i].name = (*words)[i];
    bytes += settings[i].name.size() + settings[i].value.size();
    if (IsLeasable(term.kind, settings[i].name)) continue;
    violations.Add(absl::StrCat("settings[", i, "].name"),
                   absl::StrCat("got ", settings[i].name,
                                " with options.until, want a setting that can have an end"));
  }
  if (bytes > kMaxLeaseBytes) {
    violations.Add(
        "settings",
        absl::StrCat("got ", bytes, " bytes with options.until, want at most ", kMaxLeaseBytes));
  }
  if (!violations.empty()) return violations.ToStatus();
  return settings;
}

absl::Status CreateLeases(storage::Transaction& transaction, int32_t cluster_id,
                          const LeaseTerm& term, const std::vector<ObjectKey>& objects,
                          const LeaseAuthor& author, ChangeList* list) {
  const auto count = static_cast<int64_t>(objects.size());
  if (count > kMaxLeases) {
    return TooManyLeases(term.kind, count, kMaxLeases, absl::StrCat(" of the kind ", term.kind));
  }
  std::vector<storage::Lease> leases;
  for (const ObjectKey& object : objects) leases.push_back(LeaseOf(term, object, author));
  return InsertLeases(transaction, cluster_id, term.kind, leases, author, list);
}

absl::Status CreateJobLeases(storage::Transaction& transaction, int32_t cluster_id,
                             absl::Time begin, absl::Time end, const std::vector<JobNice>& jobs,
                             const LeaseAuthor& author, ChangeList* list) {
  absl::Status known = CheckReplicas(transaction, "until: got it of a job", kMigrationOfJobLeases);
  if (!known.ok()) return known;
  std::vector<storage::Lease> leases;
  for (const JobNice& job : jobs) {
    leases.push_back(LeaseOf({kJobKind, NiceSettings(job.nice), begin, end},
                             {.kind = kJobKind, .job = job.job_id}, author));
  }
  return InsertLeases(transaction, cluster_id, kJobKind, leases, author, list);
}

absl::Status EndLeases(storage::Transaction& transaction, int32_t cluster_id,
                       const std::vector<int64_t>& ids, const TreeRights& rights,
                       const LeaseAuthor& author, ChangeList* list) {
  storage::LeaseStore store(transaction);
  const auto leases = FindNotEnded(store, cluster_id, ids, author.time);
  if (absl::IsNotFound(leases.status()) && !rights.is_operator) return UnseenLease(rights);
  if (!leases.ok()) return leases.status();
  const auto may = MayEnd(transaction, cluster_id, *leases, rights, author.share);
  if (!may.ok()) return may.status();
  if (absl::c_linear_search(*may, false)) return UnseenLease(rights);
  for (const storage::Lease& lease : *leases) {
    storage::Lease after = lease;
    after.ended_at = author.time;
    list->Updated(NameOfLease(lease.id, lease.object), AttributesOfLease(lease, author.zone),
                  AttributesOfLease(after, author.zone));
  }
  return store.End(cluster_id, ids, author.time, author.principal);
}

absl::StatusOr<std::vector<bool>> MayEnd(storage::Transaction& transaction, int32_t cluster_id,
                                         const std::vector<storage::Lease>& leases,
                                         const TreeRights& rights,
                                         const std::optional<storage::LeaseAuthors>& share) {
  std::vector<bool> may(leases.size(), rights.is_operator);
  if (rights.is_operator) return may;
  const auto rows = ReadLeasedRows(transaction, cluster_id, leases);
  if (!rows.ok()) return rows.status();
  for (size_t i = 0; i < leases.size(); ++i) {
    const storage::Lease& lease = leases[i];
    if (lease.kind == kJobKind) may[i] = IsByCaller(lease, rights.user, share);
    if (lease.kind == "user") may[i] = !rights.user.empty() && lease.user_name == rights.user;
    if (lease.kind != "association") continue;
    const storage::Association* row =
        rows->tree.Find(lease.account, lease.user_name, lease.partition);
    may[i] = row != nullptr && rights.CheckRow(rows->tree, *row).ok();
  }
  return may;
}

absl::Status WarnOfLeases(storage::Transaction& transaction, int32_t cluster_id, absl::Time time,
                          absl::TimeZone zone, ChangeList* list) {
  std::map<std::string, const Change*> changed;
  for (const Change& change : list->changes()) {
    if (changed.size() == kMostWarnedOf) break;
    if (change.kind == ChangeKind::kUpdated) changed[change.object] = &change;
  }
  std::vector<std::string> objects;
  for (const auto& [object, change] : changed) objects.push_back(object);
  const auto values = ReadLeasedValues(transaction, cluster_id, objects, time);
  if (!values.ok()) return values.status();
  std::vector<std::string> warnings;
  for (const auto& [object, leased] : *values) {
    const auto names = NamesIn(changed[object]->after);
    for (const LeasedValue& value : leased) {
      if (names.contains(value.name)) warnings.push_back(WarningOf(value, object, zone));
    }
  }
  for (std::string& warning : warnings) list->Warn(std::move(warning));
  return absl::OkStatus();
}

}  // namespace priorityd::administration
