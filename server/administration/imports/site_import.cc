#include "server/administration/imports/site_import.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/capacity.h"
#include "engine/priority/site/microseconds.h"
#include "engine/slurm/words/file_violations.h"
#include "server/administration/imports/association_import.h"
#include "server/administration/imports/import_audit.h"
#include "server/administration/imports/limit_findings.h"
#include "server/administration/imports/own_objects_import.h"
#include "server/administration/imports/policy_change.h"
#include "server/administration/imports/qos_import.h"
#include "server/administration/leases/lease_orphans.h"
#include "server/administration/leases/lease_watch.h"
#include "server/administration/tree/merge_change.h"
#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/import_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::administration {
namespace {

// One import within a transaction.
class Run {
 public:
  Run(storage::Transaction& transaction, const SiteFiles& site, const SiteImport& import,
      const ChangeContext& context, usage::SumAhead* ahead)
      : transaction_(transaction), site_(site), import_(import), context_(context), ahead_(ahead) {}

  absl::StatusOr<SiteImportResult> All();

 private:
  absl::StatusOr<std::string> ClusterName();
  absl::Status TakePolicy();
  absl::Status TakeAllQos();
  absl::Status TakeQos(const slurm::QosTable& table, bool clean);
  absl::Status TakeAssociations();
  absl::Status TakeOpeningUsage();
  absl::Status TakeOwnObjects();
  absl::StatusOr<absl::Time> TimeOfOpeningUsage(priority::ClockMode clock);
  absl::Status WarnOfOpeningUsage(const priority::Policy& policy);
  absl::Status CreateQosNamedInDump();
  absl::Status EndLeasesAndWarn();
  void Note(const ChangeList& list, Counts* counts);
  absl::StatusOr<int64_t> NewestVersion();
  absl::Status BeginNotes();
  absl::Status FinishNotes();
  absl::Status Audit();

  storage::Transaction& transaction_;
  const SiteFiles& site_;
  const SiteImport& import_;
  const ChangeContext& context_;
  usage::SumAhead* const ahead_;
  storage::Cluster cluster_;
  SiteImportResult result_;
  bool other_changes_ = false;  // Changes of cluster totals or users.
  ImportAudit audit_;
  LeaseWatch leases_;
  VersionTexts policy_texts_;  // If the files have a policy.
};

absl::StatusOr<std::string> Run::ClusterName() {
  if (!import_.cluster.empty()) return import_.cluster;
  if (!site_.cluster_name.empty()) return site_.cluster_name;
  auto clusters = storage::ClusterStore(transaction_).List();
  if (!clusters.ok()) return clusters.status();
  if (clusters->size() == 1) return clusters->front().name;
  return errors::BadRequestError(
      "AMBIGUOUS_CLUSTER",
      {{"cluster", "got none, want its name, since the files do not contain it"}});
}

absl::Status Run::TakePolicy() {
  if (site_.slurm_conf.has_value()) {
    std::vector<storage::PolicyFile> files;
    for (const slurm::SourceFile& file : site_.slurm_conf_files) {
      files.push_back({file.name, file.content});
    }
    auto change = ApplyPolicy(transaction_, cluster_, files, *site_.slurm_conf, context_, "import",
                              import_.clean, &audit_);
    if (!change.ok()) return change.status();
    auto texts = DescribeVersions(transaction_, cluster_.id, *change, site_.slurm_conf->policy);
    if (!texts.ok()) return texts.status();
    policy_texts_ = *std::move(texts);
    result_.partitions = change->partitions;
    result_.policy_created = change->created;
    result_.skipped_lines = site_.slurm_conf->skipped_lines;
    other_changes_ |= change->totals_changed;
  }
  auto newest = NewestVersion();
  if (!newest.ok()) return newest.status();
  result_.policy_version = *newest;
  return absl::OkStatus();
}

// 0 = none.
absl::StatusOr<int64_t> Run::NewestVersion() {
  auto newest = storage::PolicyStore(transaction_).ListHeads(cluster_.id, 0, 1);
  if (!newest.ok()) return newest.status();
  return newest->empty() ? 0 : newest->front().version;
}

// A new cluster is deleted instead.
absl::Status Run::BeginNotes() {
  if (result_.cluster_created) return absl::OkStatus();
  auto version = NewestVersion();
  if (!version.ok()) return version.status();
  auto id = storage::ImportStore(transaction_).Begin(cluster_.id, context_.principal, *version);
  if (!id.ok()) return id.status();
  result_.import_id = *id;
  return absl::OkStatus();
}

absl::Status Run::FinishNotes() {
  if (result_.import_id == 0) return absl::OkStatus();
  auto changed = storage::ImportStore(transaction_)
                     .Finish(cluster_.id, result_.import_id, result_.policy_version);
  if (!changed.ok()) return changed.status();
  if (!*changed) result_.import_id = 0;
  return absl::OkStatus();
}

// QOS lines of a dump as a table; missing options have their defaults.
slurm::QosTable TableOf(const std::vector<slurm::QosRow>& rows) {
  slurm::QosTable table;
  table.rows = rows;
  table.columns = {"Name",  "Priority", "UsageFactor", "UsageThres", "Preempt",
                   "Flags", "GrpWall",  "GrpTRESMins", "MaxSubmitPU"};
  for (const slurm::QosRow& row : rows) {
    for (const auto& [column, value] : row.others) table.columns.push_back(column);
  }
  return table;
}

absl::Status Run::TakeQos(const slurm::QosTable& table, bool clean) {
  auto counts = ImportQos(transaction_, cluster_.id, table, clean, context_.now, &audit_);
  if (!counts.ok()) return counts.status();
  result_.qos.created += counts->created;
  result_.qos.updated += counts->updated;
  result_.qos.unchanged += counts->unchanged;
  result_.qos.deleted += counts->deleted;
  return absl::OkStatus();
}

absl::Status Run::TakeAllQos() {
  const bool in_dump = site_.dump.has_value() && !site_.dump->qos.empty();
  if (site_.qos.has_value()) {
    if (absl::Status s = TakeQos(*site_.qos, import_.clean && !in_dump); !s.ok()) return s;
  }
  return in_dump ? TakeQos(TableOf(site_.dump->qos), false) : absl::OkStatus();
}

absl::Status Run::CreateQosNamedInDump() {
  std::vector<std::string> names;
  const auto add = [&](const slurm::DumpAssociation& line) {
    const priority::Association& association = line.association;
    if (association.default_qos.has_value() && !association.default_qos->empty()) {
      names.push_back(*association.default_qos);
    }
    if (!association.qos.has_value()) return;
    for (const std::string& name : *association.qos) {
      if (!name.empty()) names.push_back(name);
    }
  };
  add(site_.dump->root);
  for (const slurm::DumpAssociation& line : site_.dump->associations) add(line);
  auto created = CreateMissingQos(transaction_, cluster_.id, std::move(names), &audit_);
  if (!created.ok()) return created.status();
  result_.qos.created += static_cast<int64_t>(created->size());
  if (created->empty()) return absl::OkStatus();
  result_.warnings.push_back(absl::StrCat("the dump names QOS that did not exist, created with ",
                                          "default values: ", absl::StrJoin(*created, ", ")));
  return absl::OkStatus();
}

absl::Status Run::TakeAssociations() {
  if (!site_.dump.has_value()) return absl::OkStatus();
  if (absl::Status s = CreateQosNamedInDump(); !s.ok()) return s;
  auto changes = ImportAssociations(transaction_, cluster_.id, *site_.dump, import_.clean,
                                    context_.now, &audit_, &result_.warnings);
  if (!changes.ok()) return changes.status();
  result_.associations = changes->counts;
  other_changes_ |= changes->users_changed;
  return CheckMerges(transaction_, cluster_.id, context_.now);
}

// By another clock, it would not decay, or all at once.
absl::StatusOr<absl::Time> Run::TimeOfOpeningUsage(priority::ClockMode clock) {
  if (clock == priority::ClockMode::kReal) return context_.now;
  auto last = storage::SnapshotStore(transaction_).Newest(cluster_.id);
  if (!last.ok()) return last.status();
  if (last->has_value()) return (*last)->computed_at;
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat(
          "cluster ", cluster_.name, ": got opening usage on a manual clock that was never set, ",
          "want the site's other files first, then a recalculation (with as_of), then the usage")),
      "NO_SNAPSHOT");
}

absl::Status Run::WarnOfOpeningUsage(const priority::Policy& policy) {
  if (std::isinf(policy.usage_headroom)) return absl::OkStatus();
  auto cluster = storage::ClusterStore(transaction_).Require(cluster_.name);
  if (!cluster.ok()) return cluster.status();
  auto rows = storage::PartitionStore(transaction_).List(cluster_.id);
  if (!rows.ok()) return rows.status();
  std::vector<priority::Partition> partitions;
  for (const storage::Partition& row : *rows) partitions.push_back(configuration::ToEngine(row));
  const priority::Capacity capacity =
      priority::CapacityOf(policy, configuration::ToEngine(*cluster), partitions);
  std::string warning = FindOpeningExcess(
      site_.opening_usage, policy.usage_headroom * capacity.billing, policy.half_life);
  if (!warning.empty()) result_.warnings.push_back(std::move(warning));
  return absl::OkStatus();
}

absl::Status Run::TakeOpeningUsage() {
  if (site_.opening_usage.empty()) return absl::OkStatus();
  auto newest = storage::PolicyStore(transaction_).Newest(cluster_.id);
  if (!newest.ok()) return newest.status();
  auto conf = configuration::ParseStored(*newest);
  if (!conf.ok()) return conf.status();
  auto as_of = TimeOfOpeningUsage((*conf)->policy.clock);
  if (!as_of.ok()) return as_of.status();
  auto counts = ImportOpeningUsage(transaction_, cluster_.id, site_.opening_usage, import_.clean,
                                   *as_of, &audit_);
  if (!counts.ok()) return counts.status();
  result_.opening_usage = *counts;
  return WarnOfOpeningUsage((*conf)->policy);
}

// The changes of one kind, for the audit and the result.
void Run::Note(const ChangeList& list, Counts* counts) {
  *counts = list.counts();
  audit_.Include(list);
  result_.warnings.insert(result_.warnings.end(), list.warnings().begin(), list.warnings().end());
}

absl::Status Run::TakeOwnObjects() {
  if (!site_.own_objects.has_value()) return absl::OkStatus();
  auto newest = storage::PolicyStore(transaction_).Newest(cluster_.id);
  if (!newest.ok()) return newest.status();
  auto conf = configuration::ParseStored(*newest);
  if (!conf.ok()) return conf.status();
  auto time = ClusterTime(transaction_, cluster_.id, (*conf)->policy.clock, context_.now);
  if (!time.ok()) return time.status();
  const OwnImport how = {.clean = import_.clean,
                         .time = priority::CutToMicroseconds(*time),
                         .now = priority::CutToMicroseconds(context_.now),
                         .principal = context_.principal,
                         .zone = (*conf)->policy.time_zone};
  OwnChanges changes;
  absl::Status status = ImportOwnObjects(transaction_, cluster_, *site_.own_objects, how, &changes);
  if (!status.ok()) return status;
  Note(changes.grants, &result_.grants);
  Note(changes.transfers, &result_.grant_transfers);
  Note(changes.leases, &result_.leases);
  Note(changes.merges, &result_.user_merges);
  Note(changes.aliases, &result_.user_aliases);
  return absl::OkStatus();
}

absl::Status Run::EndLeasesAndWarn() {
  auto newest = storage::PolicyStore(transaction_).Newest(cluster_.id);
  if (!newest.ok()) return newest.status();
  auto conf = configuration::ParseStored(*newest);
  if (!conf.ok()) return conf.status();
  const priority::Policy& policy = (*conf)->policy;
  const auto limits = FindLimits(site_, policy);
  result_.warnings.insert(result_.warnings.end(), limits.begin(), limits.end());
  const auto time = EndLeasesOfDeleted(transaction_, cluster_.id, context_, &result_.warnings);
  if (!time.ok()) return time.status();
  auto warnings = WarningsSince(transaction_, cluster_.id, leases_, *time, policy.time_zone);
  if (!warnings.ok()) return warnings.status();
  result_.warnings.insert(result_.warnings.end(), warnings->begin(), warnings->end());
  return absl::OkStatus();
}

std::string Describe(const char* kind, const Counts& counts) {
  return absl::StrCat(kind, ": ", counts.created, " created, ", counts.updated, " updated, ",
                      counts.deleted, " deleted; ");
}

// Only kinds that the import changed.
std::string OwnText(const SiteImportResult& result) {
  const std::pair<const char*, const Counts*> kinds[] = {
      {"grants", &result.grants},
      {"transfers of grants", &result.grant_transfers},
      {"leases", &result.leases},
      {"merged users", &result.user_merges},
      {"aliases", &result.user_aliases}};
  std::string text;
  for (const auto& [kind, counts] : kinds) {
    if (counts->changed()) absl::StrAppend(&text, Describe(kind, *counts));
  }
  return text;
}

// States that the audit does not list all changes.
std::string Omitted(const ImportAudit& audit) {
  if (audit.omitted() == 0) return "";
  return absl::StrCat(audit.omitted(), " more changes not listed; ");
}

absl::Status Run::Audit() {
  const bool changed = result_.cluster_created || result_.policy_created || other_changes_ ||
                       result_.associations.changed() || result_.qos.changed() ||
                       result_.partitions.changed() || result_.opening_usage.changed() ||
                       result_.grants.changed() || result_.grant_transfers.changed() ||
                       result_.leases.changed() || result_.user_merges.changed() ||
                       result_.user_aliases.changed();
  if (!changed) return absl::OkStatus();
  storage::AuditEvent event;
  event.cluster_id = cluster_.id;
  event.principal = context_.principal;
  event.action = "Import";
  if (absl::Status s = audit_.Append(transaction_, event); !s.ok()) return s;
  event.object = absl::StrCat("cluster ", cluster_.name);
  const std::string version = absl::StrCat("policy version ", result_.policy_version);
  event.before = policy_texts_.before;
  if (event.before.empty() && !result_.policy_created && result_.policy_version > 0) {
    event.before = version;
  }
  event.after = absl::StrCat(
      Describe("associations", result_.associations), Describe("qos", result_.qos),
      Describe("partitions", result_.partitions), Describe("opening usage", result_.opening_usage),
      OwnText(result_), Omitted(audit_),
      result_.import_id > 0 ? absl::StrCat("import ", result_.import_id, "; ") : "",
      policy_texts_.after.empty() ? version : policy_texts_.after);
  return storage::AuditStore(transaction_).Append(event);
}

absl::StatusOr<SiteImportResult> Run::All() {
  result_.warnings = site_.losses;
  result_.losses = static_cast<int64_t>(site_.losses.size());
  result_.unused = site_.unused;
  result_.warnings.insert(result_.warnings.end(), site_.warnings.begin(), site_.warnings.end());
  absl::StatusOr<std::string> name = ClusterName();
  if (!name.ok()) return name.status();
  auto opened = OpenCluster(transaction_, *name, /*create=*/true);
  if (!opened.ok()) return opened.status();
  cluster_ = opened->cluster;
  result_.cluster = *name;
  if (!site_.cluster_name.empty() && site_.cluster_name != *name) {
    result_.warnings.push_back(absl::StrCat("the files are those of cluster ",
                                            slurm::Quoted(site_.cluster_name), ", imported into ",
                                            slurm::Quoted(*name), " as the request says"));
  }
  result_.cluster_created = opened->created;
  auto rules = usage::RuleChange::Begin(transaction_, cluster_.id);
  if (!rules.ok()) return rules.status();
  auto leases = WatchLeases(transaction_, cluster_.id);
  if (!leases.ok()) return leases.status();
  leases_ = *std::move(leases);
  if (absl::Status s = BeginNotes(); !s.ok()) return s;
  if (absl::Status s = TakePolicy(); !s.ok()) return s;
  if (absl::Status s = TakeAllQos(); !s.ok()) return s;
  if (absl::Status s = TakeAssociations(); !s.ok()) return s;
  if (absl::Status s = TakeOpeningUsage(); !s.ok()) return s;
  if (absl::Status s = TakeOwnObjects(); !s.ok()) return s;
  if (absl::Status s = EndLeasesAndWarn(); !s.ok()) return s;
  if (absl::Status s = FinishNotes(); !s.ok()) return s;
  if (absl::Status s = Audit(); !s.ok()) return s;
  if (context_.validate_only) {
    result_.import_id = 0;
    return result_;
  }
  if (absl::Status s = rules->Finish(transaction_, ahead_); !s.ok()) return s;
  return result_;
}

}  // namespace

absl::StatusOr<SiteImportResult> ImportSite(storage::Database& database, const SiteFiles& site,
                                            const SiteImport& import,
                                            const ChangeContext& context) {
  absl::StatusOr<SiteImportResult> result;
  absl::Status status = ChangeRules(database, context,
                                    [&](storage::Transaction& transaction, usage::SumAhead* ahead) {
                                      result = Run(transaction, site, import, context, ahead).All();
                                      return result.status();
                                    });
  if (!status.ok()) return status;
  return result;
}

}  // namespace priorityd::administration
