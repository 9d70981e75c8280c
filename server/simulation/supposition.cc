#include "server/simulation/supposition.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/violations.h"
#include "engine/priority/site/microseconds.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "server/administration/grants/grant_checks.h"
#include "server/administration/imports/policy_change.h"
#include "server/administration/imports/site_files.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/leased_nice.h"
#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "server/domains/share_cache.h"
#include "server/grants/standings.h"
#include "server/grants/supposed_standings.h"
#include "server/recalculation/computation.h"
#include "server/recalculation/limit_inputs.h"
#include "server/recalculation/recalculation_input.h"
#include "server/usage/decayed_row.h"
#include "server/usage/row_decay.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/domain_grant_store.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::simulation {
namespace {

using recalculation::RecalculationInput;

// The shortest duration of a record, since records have whole microseconds.
constexpr absl::Duration kShortest = absl::Microseconds(1);

std::string Got(absl::string_view name, absl::string_view want) {
  return absl::StrCat("got \"", absl::CHexEscape(name), "\", want ", want);
}

// Finds existing associations by name, and collects violations for missing ones and for shares of
// merged users.
class Finder {
 public:
  Finder(const std::vector<storage::Association>& associations, const priority::UserMerges& merges)
      : merges_(merges) {
    for (size_t i = 0; i < associations.size(); ++i) {
      const storage::Association& row = associations[i];
      index_[{row.account, row.user_name, row.partition}] = i;
    }
  }

  // The index of an association; nullopt if there is none. `field` names it in errors.
  std::optional<size_t> Find(const std::string& field, const AssociationName& name) {
    const auto found = index_.find({name.account, name.user, name.partition});
    if (found != index_.end()) return found->second;
    if (!index_.contains({name.account, "", ""})) {
      violations_.Add(field + ".account", Got(name.account, "an account of the cluster"));
    } else if (name.partition.empty() || !index_.contains({name.account, name.user, ""})) {
      violations_.Add(field + ".user",
                      Got(name.user, absl::StrCat("a user of account ", name.account)));
    } else {
      violations_.Add(field + ".partition",
                      Got(name.partition, "one that the user has an association with"));
    }
    return std::nullopt;
  }

  // As Find; those of merged users compete for no shares.
  std::optional<size_t> FindShares(const std::string& field, const AssociationName& name) {
    const auto merge = merges_.find(name.user);
    if (merge == merges_.end()) return Find(field, name);
    violations_.Add(field + ".user", Got(name.user, absl::StrCat("its surviving user \"",
                                                                 absl::CHexEscape(merge->second),
                                                                 "\", as it is merged")));
    return std::nullopt;
  }

  absl::Status ToStatus() const { return violations_.ToStatus(); }

 private:
  using Name = std::tuple<absl::string_view, absl::string_view, absl::string_view>;

  const priority::UserMerges& merges_;
  absl::flat_hash_map<Name, size_t> index_;
  errors::Violations violations_{"UNKNOWN_ASSOCIATION"};
};

// Adds records to the rows of their associations or QOS.
void AddRecords(storage::UsageOf of, const usage::Records& records, const usage::RowDecay& decay,
                std::vector<storage::UsageRow>* rows) {
  for (const auto& [id, change] : usage::ChangesOf(of, records)) {
    auto row =
        std::lower_bound(rows->begin(), rows->end(), id,
                         [](const storage::UsageRow& a, int64_t wanted) { return a.id < wanted; });
    if (row == rows->end() || row->id != id) {
      row = rows->insert(row, storage::UsageRow());
      row->id = id;
    }
    usage::Apply(change, decay.Of(of, id), &*row);
  }
}

// Applies the supposition to the stored state.
class Change {
 public:
  Change(const Supposition& supposition, RecalculationInput* input)
      : supposition_(supposition), input_(*input) {}

  // `conf`: the parsed policy.
  absl::Status TakePolicy(storage::Transaction& transaction, const slurm::SlurmConf& conf);
  // For a later time: adds the half-life from the present on to the timeline, as a recalculation
  // would.
  absl::Status TakeHalfLife(storage::Transaction& transaction);
  // Finds the associations named in shares and usage, and applies the shares. `merges`: of the
  // cluster.
  absl::Status TakeShares(const priority::UserMerges& merges);
  // `tree`: without merges, as records have the default QOS of their own user. REQUIRES:
  // input->configuration is built, and TakeShares was called.
  absl::Status TakeUsage(const priority::AssociationTree& tree);

  // REQUIRES: TakeUsage was called.
  const std::vector<storage::UsageRecord>& records() const { return records_; }

 private:
  storage::UsageRecord RecordOf(int64_t association_id, double usage,
                                const priority::AssociationTree& tree) const;

  const Supposition& supposition_;
  RecalculationInput& input_;
  std::vector<int64_t> charged_;  // By index into supposition_.usage.
  std::vector<storage::UsageRecord> records_;
};

absl::Status Change::TakePolicy(storage::Transaction& transaction, const slurm::SlurmConf& conf) {
  storage::ClusterState& state = input_.state;
  const absl::StatusOr<usage::DecayRules> before = usage::DecayRulesOf(state);
  if (!before.ok()) return before.status();
  const slurm::SourceFile& file = *supposition_.policy;
  absl::Status status = administration::SupposePolicy(
      {{file.name, file.content}}, conf, priority::CutToMicroseconds(supposition_.now), &state);
  if (!status.ok()) return status;
  if (!input_.first_policy.has_value()) input_.first_policy = state.policy;
  return usage::SupposeRules(transaction, *before, &state);
}

absl::Status Change::TakeHalfLife(storage::Transaction& transaction) {
  if (supposition_.time <= supposition_.present) return absl::OkStatus();
  storage::ClusterState& state = input_.state;
  const auto conf = configuration::ParseStored(state.policy);
  if (!conf.ok()) return conf.status();
  const absl::StatusOr<absl::Time> latest =
      storage::UsageStore(transaction).Latest(state.cluster.id);
  if (!latest.ok()) return latest.status();
  const std::optional<storage::HalfLife> change =
      configuration::TimelineChange(state.half_lives, (*conf)->policy,
                                    priority::CutToMicroseconds(supposition_.present), *latest);
  if (change.has_value()) state.half_lives.push_back(*change);
  return absl::OkStatus();
}

absl::Status Change::TakeShares(const priority::UserMerges& merges) {
  if (supposition_.shares.empty() && supposition_.usage.empty()) return absl::OkStatus();
  std::vector<storage::Association>& associations = input_.state.associations;
  Finder finder(associations, merges);
  for (size_t i = 0; i < supposition_.shares.size(); ++i) {
    const SupposedShares& shares = supposition_.shares[i];
    const auto found = finder.FindShares(absl::StrCat("shares[", i, "]"), shares.association);
    if (found.has_value()) associations[*found].raw_shares = shares.raw_shares;
  }
  for (size_t i = 0; i < supposition_.usage.size(); ++i) {
    const auto found =
        finder.Find(absl::StrCat("usage[", i, "]"), supposition_.usage[i].association);
    charged_.push_back(found.has_value() ? associations[*found].id : 0);
  }
  return finder.ToStatus();
}

storage::UsageRecord Change::RecordOf(int64_t association_id, double usage,
                                      const priority::AssociationTree& tree) const {
  storage::UsageRecord record;
  record.submitted.end_time = priority::CutToMicroseconds(supposition_.present);
  record.submitted.start_time = record.submitted.end_time - kShortest;
  record.association_id = association_id;
  record.billing_rate = usage / absl::ToDoubleSeconds(kShortest);
  const configuration::Configuration& configuration = *input_.configuration;
  const absl::string_view name = tree.default_qos(tree.FindId(association_id));
  for (size_t i = 0; i < configuration.qos.size(); ++i) {
    if (configuration.qos[i].name == name) record.qos_id = configuration.qos_ids[i];
  }
  return record;
}

absl::Status Change::TakeUsage(const priority::AssociationTree& tree) {
  if (charged_.empty()) return absl::OkStatus();
  absl::StatusOr<usage::DecayRules> rules = usage::DecayRulesOf(input_.state);
  if (!rules.ok()) return rules.status();
  const usage::RowDecay decay(*std::move(rules));
  for (size_t i = 0; i < charged_.size(); ++i) {
    records_.push_back(RecordOf(charged_[i], supposition_.usage[i].usage, tree));
  }
  const usage::Records records = usage::PointersTo(records_);
  storage::ClusterState& state = input_.state;
  AddRecords(storage::UsageOf::kAssociation, records, decay, &state.association_usage);
  AddRecords(storage::UsageOf::kQos, records, decay, &state.qos_usage);
  return absl::OkStatus();
}

// The time of the supposed snapshot.
absl::Time TimeOf(const Supposition& supposition, const storage::ClusterState& state) {
  return state.snapshot.has_value() ? std::max(supposition.time, state.snapshot->computed_at)
                                    : supposition.time;
}

// Folds the leases in effect at that time over the stored rows; `nices`: those of jobs.
absl::Status TakeLeases(storage::Transaction& transaction, absl::Time time,
                        RecalculationInput* input, priority::LeasedNices* nices) {
  storage::ClusterState* const state = &input->state;
  const auto open = storage::LeaseStore(transaction).ListOpen(state->cluster.id);
  if (!open.ok()) return open.status();
  const administration::LeasePointers leases = administration::LeasesAt(*open, time);
  administration::LeasedRows rows = administration::LeasedRowsOf(*state, *open);
  administration::FoldLeases(leases, &rows);
  administration::PutLeasedRows(leases, std::move(rows), state);
  if (!leases.empty()) {
    input->limits_usage |= recalculation::LimitsUsage(state->associations, state->qos);
  }
  *nices = administration::LeasedNicesAt(*open, time);
  return absl::OkStatus();
}

// The grants that are supposed, or of a supposed transfer.
absl::flat_hash_set<std::string> NamesOfGrants(const Supposition& supposition) {
  absl::flat_hash_set<std::string> names;
  for (const administration::SupposedGrant& grant : supposition.grants) names.insert(grant.name);
  for (const administration::SupposedTransfer& transfer : supposition.transfers) {
    names.insert(transfer.from);
    names.insert(transfer.to);
  }
  return names;
}

// The owners of the supposed grants, with all grants of them.
absl::StatusOr<grants::GrantBook> SupposedBook(storage::Transaction& transaction,
                                               const Supposition& supposition,
                                               const RecalculationInput& input) {
  const int32_t cluster_id = input.state.cluster.id;
  auto book = grants::ReadGrantBook(transaction, cluster_id);
  if (!book.ok()) return book.status();
  auto site = administration::ReadGrantSite(transaction, cluster_id);
  if (!site.ok()) return site.status();
  const absl::Time present = priority::CutToMicroseconds(supposition.present);
  absl::Status status = administration::SupposeGrants(
      supposition.grants, *site, present, input.configuration->policy.time_zone, &*book);
  if (status.ok()) {
    status = administration::SupposeTransfers(supposition.transfers, present, &*book);
  }
  if (!status.ok()) return status;
  const absl::flat_hash_set<std::string> names = NamesOfGrants(supposition);
  return grants::Select(*std::move(book), [&](const grants::StoredGrant& stored) {
    return names.contains(stored.row.name);
  });
}

bool IsOf(const grants::Owner& owner, const priority::GrantStanding& standing) {
  return owner.accounts == standing.accounts && owner.user == standing.user &&
         owner.tres == standing.tres;
}

// Replaces the standings of the owners. `standings`: by owner, as those of the input.
void PutStandings(std::vector<priority::GrantStanding> standings,
                  std::vector<SupposedOwner>* owners, RecalculationInput* input) {
  std::vector<priority::GrantStanding> all(input->standings.begin(), input->standings.end());
  for (SupposedOwner& owner : *owners) {
    const auto is_its = [&](const priority::GrantStanding& standing) {
      return IsOf(owner.owner, standing);
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_its), all.end());
    const auto found = absl::c_find_if(standings, is_its);
    if (found == standings.end()) continue;
    if (found->consequence != priority::GrantConsequence::kNone) owner.standing = *found;
  }
  absl::c_move(standings, std::back_inserter(all));
  absl::c_sort(all, [](const priority::GrantStanding& a, const priority::GrantStanding& b) {
    return std::tie(a.accounts, a.user, a.tres) < std::tie(b.accounts, b.user, b.tres);
  });
  input->standings = std::move(all);
}

bool MayRead(const Supposition& supposition, const grants::Owner& owner) {
  const auto& readable = supposition.readable_accounts;
  return !readable.has_value() || absl::c_all_of(owner.accounts, [&](const std::string& account) {
    return readable->contains(account);
  });
}

// The last recalculation, as both times of a supposition are the caller's choice.
absl::Time LedgerEnd(const Supposition& supposition, const storage::ClusterState& state) {
  return state.snapshot.has_value() ? state.snapshot->computed_at : supposition.now;
}

// Replaces the standings of supposed owners in the input. REQUIRES: input->configuration is built.
absl::Status TakeGrants(storage::Transaction& transaction, const Supposition& supposition,
                        absl::Time time, std::vector<SupposedOwner>* owners,
                        RecalculationInput* input) {
  if (supposition.grants.empty() && supposition.transfers.empty()) return absl::OkStatus();
  const auto book = SupposedBook(transaction, supposition, *input);
  if (!book.ok()) return book.status();
  const grants::SettlementInput settled = {input->state.cluster.id, *input->configuration->tree,
                                           input->configuration->policy.time_zone, time};
  auto supposed = grants::SupposeStandings(
      transaction, settled, *book, LedgerEnd(supposition, input->state),
      [&](const grants::Owner& owner) { return MayRead(supposition, owner); });
  if (!supposed.ok()) return supposed.status();
  for (const grants::Stack& stack : book->stacks) {
    owners->push_back({.owner = stack.owner, .is_known = supposed->is_known});
  }
  if (supposed->is_known) PutStandings(std::move(supposed->standings), owners, input);
  return absl::OkStatus();
}

absl::Status Fill(storage::Transaction& transaction, const std::string& cluster,
                  const Supposition& supposition, const slurm::SlurmConf* conf,
                  std::vector<SupposedOwner>* owners, RecalculationInput* input) {
  if (absl::Status s = ReadStored(transaction, cluster, input); !s.ok()) return s;
  Change change(supposition, input);
  absl::Status status;
  if (conf != nullptr) status = change.TakePolicy(transaction, *conf);
  if (status.ok()) status = change.TakeHalfLife(transaction);
  const absl::Time time = priority::CutToMicroseconds(TimeOf(supposition, input->state));
  priority::LeasedNices nices;
  if (status.ok()) status = TakeLeases(transaction, time, input, &nices);
  if (!status.ok()) return status;
  const auto merges = storage::UserMergeStore(transaction).List(input->state.cluster.id);
  if (!merges.ok()) return merges.status();
  status = change.TakeShares(configuration::ToEngine(*merges));
  if (!status.ok()) return status;
  auto configuration = configuration::Configure(input->state);
  if (!configuration.ok()) return configuration.status();
  const auto stored_tree = (*configuration)->tree;
  input->configuration = configuration::WithMergedUsers(
      configuration::WithLeasedNices(*std::move(configuration), std::move(nices)), *merges);
  if (absl::Status s = change.TakeUsage(*stored_tree); !s.ok()) return s;
  // Grants leave what they leave; supposed usage does not count against them.
  auto rows = storage::UsagePoolStore(transaction).ListStandings(input->state.cluster.id);
  if (!rows.ok()) return rows.status();
  auto standings = grants::FromRows(*rows);
  if (!standings.ok()) return standings.status();
  input->standings = *std::move(standings);
  if (absl::Status s = TakeGrants(transaction, supposition, time, owners, input); !s.ok()) return s;
  input->limits_usage |= !input->standings.empty();
  // Another tree gives the fair-share of a member.
  auto domain = storage::DomainStore(transaction).PublishedFor(input->state.cluster.id);
  if (!domain.ok()) return domain.status();
  auto shares = domains::ShareCache().Find(transaction, *domain);
  if (!shares.ok()) return shares.status();
  input->domain = *std::move(shares);
  auto domain_grants = storage::DomainGrantStore(transaction).List(input->state.cluster.id);
  if (!domain_grants.ok()) return domain_grants.status();
  input->domain_grants = *std::move(domain_grants);
  return SetTime(transaction, time, change.records(), input);
}

}  // namespace

absl::StatusOr<Supposed> Suppose(storage::Database& database, const std::string& cluster,
                                 const Supposition& supposition) {
  std::optional<slurm::SlurmConf> conf;
  if (supposition.policy.has_value()) {
    absl::StatusOr<slurm::SlurmConf> parsed = slurm::ParseSlurmConf({&*supposition.policy, 1});
    if (!parsed.ok()) return parsed.status();
    conf = *std::move(parsed);
  }
  RecalculationInput input;
  Supposed supposed;
  absl::Status read = database.Read([&](storage::Transaction& transaction) {
    input = RecalculationInput();
    supposed.owners.clear();
    return Fill(transaction, cluster, supposition, conf.has_value() ? &*conf : nullptr,
                &supposed.owners, &input);
  });
  if (!read.ok()) return read;
  auto snapshot = recalculation::Compute(input);
  if (!snapshot.ok()) return snapshot.status();
  supposed.snapshot = *std::move(snapshot);
  return supposed;
}

}  // namespace priorityd::simulation
