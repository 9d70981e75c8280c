#include "server/usage/price_book.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/jobs/default_qos.h"
#include "engine/priority/jobs/reservation_access.h"
#include "engine/priority/site/billing.h"
#include "server/configuration/living_ancestors.h"
#include "server/configuration/stored_policy.h"
#include "server/configuration/stored_rows.h"
#include "server/usage/validation.h"

namespace priorityd::usage {
namespace {

std::string Got(absl::string_view name, absl::string_view want) {
  return absl::StrCat("got \"", absl::CHexEscape(name.substr(0, errors::kShownBytes)), "\", want ",
                      want);
}

// Counts by canonical name.
std::optional<Rejection> TakeTres(const UsageSubmission& record, Price* price) {
  for (const auto& [name, count] : record.tres) {
    const std::string field = TresField(name);
    absl::StatusOr<std::string> canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) {
      return Rejection{RejectionReason::kUnknownTres, field,
                       "got an unknown type, want cpu, mem, node, gres/NAME, license/NAME, ..."};
    }
    if (count == 0) continue;
    if (!price->tres.try_emplace(*std::move(canonical), count).second) {
      return Rejection{RejectionReason::kOutOfRange, field, "got it twice, want it once"};
    }
  }
  return std::nullopt;
}

UsageBound BoundOf(const storage::ClusterState& state, const priority::Policy& policy) {
  std::vector<priority::Partition> partitions;
  for (const auto* rows : {&state.partitions, &state.deleted_partitions}) {
    for (const storage::Partition& row : *rows) partitions.push_back(configuration::ToEngine(row));
  }
  return UsageBound(
      policy.usage_headroom,
      priority::CapacityOf(policy, configuration::ToEngine(state.cluster), partitions));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PriceBook>> PriceBook::Make(
    const storage::ClusterState& state, const std::optional<storage::PolicyVersion>& in_force,
    std::optional<absl::Time> job_ends_since, configuration::AliasMap aliases,
    const std::vector<storage::UserMerge>& merges) {
  std::shared_ptr<PriceBook> book(new PriceBook);
  auto conf = configuration::ParseStored(in_force);
  if (!conf.ok()) return conf.status();
  book->cluster_id_ = state.cluster.id;
  book->policy_ = (*conf)->policy;
  book->ledger_horizon_ = state.cluster.ledger_horizon;
  book->job_ends_since_ = job_ends_since;
  book->aliases_ = std::move(aliases);
  absl::StatusOr<DecayRules> rules = DecayRulesOf(state);
  if (!rules.ok()) return rules.status();
  book->decay_ = std::make_unique<const RowDecay>(*std::move(rules));

  auto tree = configuration::BuildTree(state.associations);
  if (!tree.ok()) return tree.status();
  book->tree_ = *std::move(tree);
  book->merged_tree_ =
      merges.empty() ? book->tree_
                     : configuration::MergeUsers(*book->tree_, configuration::ToEngine(merges));
  book->AddDeletedAssociations(state.deleted_associations);
  book->default_accounts_ = configuration::DefaultAccountsOf(state.users);
  for (const storage::Qos& row : state.qos) book->AddQos(row);
  for (const storage::Qos& row : state.deleted_qos) book->AddQos(row);
  for (const storage::Partition& row : state.partitions) {
    book->AddPartition(row);
    if (row.is_default) book->default_partition_ = row.name;
  }
  for (const storage::Partition& row : state.deleted_partitions) book->AddPartition(row);
  for (const storage::Reservation& row : state.reservations) {
    book->reservations_.emplace(row.name, configuration::ToEngine(row));
  }
  book->bound_ = BoundOf(state, book->policy_);
  book->tres_numbers_ = state.tres;
  return std::shared_ptr<const PriceBook>(std::move(book));
}

void PriceBook::AddQos(const storage::Qos& row) {
  qos_[row.name].push_back(
      {configuration::ToEngine(row), row.id, row.deleted_at.value_or(absl::InfiniteFuture())});
}

void PriceBook::AddPartition(const storage::Partition& row) {
  partitions_[row.name].push_back(
      {configuration::ToEngine(row), row.id, row.deleted_at.value_or(absl::InfiniteFuture())});
}

void PriceBook::AddDeletedAssociations(const std::vector<storage::Association>& deleted) {
  const configuration::LivingAncestors living(deleted);
  for (const storage::Association& row : deleted) {
    deleted_[{row.account, row.user_name, row.partition}] = living.Of(row.id);
  }
}

template <typename Row>
const PriceBook::Priced<Row>* PriceBook::FindAt(const ByName<Row>& rows, absl::string_view name,
                                                absl::Time time) {
  const auto found = rows.find(std::string(name));
  if (found == rows.end()) return nullptr;
  const Priced<Row>* at = nullptr;
  for (const Priced<Row>& row : found->second) {
    if (row.deleted_at == absl::InfiniteFuture()) return &row;
    if (row.deleted_at > time && (at == nullptr || row.deleted_at > at->deleted_at)) at = &row;
  }
  return at;
}

template <typename Row>
const Row* PriceBook::FindLiving(const ByName<Row>& rows, absl::string_view name) {
  const Priced<Row>* found = FindAt(rows, name, absl::InfiniteFuture());
  return found == nullptr ? nullptr : &found->row;
}

int32_t PriceBook::TresNumber(const std::string& name) const {
  const auto found = tres_numbers_.find(name);
  return found == tres_numbers_.end() ? 0 : found->second;
}

int64_t PriceBook::FindDeleted(absl::string_view account, absl::string_view user,
                               absl::string_view partition) const {
  const auto found =
      deleted_.find({std::string(account), std::string(user), std::string(partition)});
  return found == deleted_.end() ? 0 : found->second;
}

int64_t PriceBook::FindUser(absl::string_view account, const UsageSubmission& record) const {
  const priority::AssociationIndex i = tree_->FindUser(account, record.user, record.partition);
  if (i != priority::kNoAssociation) return tree_->id()[i];
  if (const int64_t id = FindDeleted(account, record.user, record.partition); id != 0) return id;
  return FindDeleted(account, record.user, "");
}

std::variant<int64_t, Rejection> PriceBook::FindAssociation(const UsageSubmission& record,
                                                            absl::string_view account) const {
  const priority::AssociationIndex i = tree_->FindAccount(account);
  const int64_t account_id =
      i != priority::kNoAssociation ? tree_->id()[i] : FindDeleted(account, "", "");
  if (account_id == 0) {
    return Rejection{RejectionReason::kUnknownAccount, "account",
                     Got(account, "an account of the cluster")};
  }
  if (record.user.empty()) return account_id;
  const int64_t id = FindUser(account, record);
  if (id != 0) return id;
  return Rejection{RejectionReason::kUnknownUser, "user",
                   Got(record.user, absl::StrCat("a user of account ", account))};
}

std::optional<Rejection> PriceBook::PriceQos(const UsageSubmission& record, Price* price) const {
  absl::string_view name = record.qos;
  if (name.empty()) {
    const priority::AssociationIndex i = tree_->FindId(price->association_id);
    const bool normal_exists = FindAt(qos_, priority::kNormalQos, *record.start_time) != nullptr;
    if (i != priority::kNoAssociation) name = priority::DefaultQos(*tree_, i, normal_exists);
  }
  if (name.empty()) return std::nullopt;
  const Priced<priority::Qos>* qos = FindAt(qos_, name, *record.start_time);
  if (qos != nullptr) {
    price->qos_id = qos->id;
    price->usage_factor = qos->row.usage_factor;
  } else if (!record.qos.empty()) {
    return Rejection{RejectionReason::kUnknownQos, "qos", Got(name, "a QOS of the cluster")};
  }
  return std::nullopt;
}

std::variant<std::string, Rejection> PriceBook::AccountOf(const UsageSubmission& record) const {
  if (!record.account.empty()) return std::string(record.account);
  const absl::string_view found = default_accounts_->Find(record.user);
  if (!found.empty()) return std::string(found);
  return Rejection{RejectionReason::kUnknownAccount, "account",
                   absl::StrCat("got none, want one, as user \"",
                                absl::CHexEscape(record.user.substr(0, errors::kShownBytes)),
                                "\" has no default account")};
}

std::optional<Rejection> PriceBook::PriceBilling(const UsageSubmission& record,
                                                 Price* price) const {
  const absl::string_view name =
      record.partition.empty() ? absl::string_view(default_partition_) : record.partition;
  const Priced<priority::Partition>* partition = FindAt(partitions_, name, *record.start_time);
  if (partition == nullptr && !record.partition.empty()) {
    return Rejection{RejectionReason::kUnknownPartition, "partition",
                     Got(name, "a partition of the cluster")};
  }
  const priority::TresMap weights =
      partition == nullptr ? priority::TresMap() : partition->row.billing_weights;
  price->billing_rate =
      record.billing.has_value()
          ? *record.billing
          : priority::Billing(priority::BillingRuleFor(policy_, weights), weights, price->tres);
  const double usage = price->billing_rate * price->usage_factor;
  if (price->billing_rate >= 0 && price->usage_factor <= kMaxAmount && usage <= kMaxAmount) {
    return std::nullopt;
  }
  return Rejection{RejectionReason::kOutOfRange, "tres",
                   absl::StrCat("got usage of ", usage, " per second, want 0 to 1e18")};
}

priority::AssociationIndex PriceBook::AssociationOf(const priority::Job& job) const {
  const absl::string_view account =
      job.account.empty() ? default_accounts_->Find(job.user) : job.account;
  const absl::string_view partition =
      job.partitions.empty() ? absl::string_view(default_partition_) : job.partitions.front();
  if (job.user.empty() || account.empty()) return priority::kNoAssociation;
  return merged_tree_->FindUser(account, job.user, partition);
}

bool PriceBook::HasPlace(const priority::Job& job) const {
  const priority::AssociationIndex i = AssociationOf(job);
  if (i == priority::kNoAssociation) return false;
  const auto exists = [this](absl::string_view name) { return FindLiving(qos_, name) != nullptr; };
  const auto allowed = merged_tree_->allowed_qos(i);
  const auto may_have = [&](absl::string_view name) {
    return exists(name) && (allowed.empty() || absl::c_linear_search(allowed, name));
  };
  if (!job.qos.empty()) return absl::c_any_of(job.qos, may_have);
  const absl::string_view by_default =
      priority::DefaultQos(*merged_tree_, i, exists(priority::kNormalQos));
  return by_default.empty() || may_have(by_default);
}

bool PriceBook::HasPartitions(const priority::Job& job) const {
  bool open = job.partitions.empty();
  for (const absl::string_view name : job.partitions) {
    const priority::Partition* partition = FindLiving(partitions_, name);
    if (partition == nullptr) return false;
    open = open || partition->open;
  }
  return open;
}

bool PriceBook::HasReservation(const priority::Job& job) const {
  if (job.reservation.empty() || reservations_.empty()) return true;
  const auto found = reservations_.find(job.reservation);
  return found != reservations_.end() &&
         priority::MayUse(found->second, job.user, AssociationOf(job), *merged_tree_);
}

bool PriceBook::Differs(const priority::ResolvedJob& resolved,
                        const priority::Snapshot& snapshot) const {
  const auto changed = [](const auto& rows, const auto& known) {
    const auto* stored = FindLiving(rows, known.name);
    return stored == nullptr || !(*stored == known);
  };
  const auto qos_changed = [&](int qos) { return qos >= 0 && changed(qos_, snapshot.qos()[qos]); };
  const auto partition_changed = [&](int i) {
    if (i < 0) return false;
    const priority::Partition& partition = snapshot.partitions()[i];
    return changed(partitions_, partition) || qos_changed(snapshot.FindQos(partition.qos));
  };
  return absl::c_any_of(resolved.qos, qos_changed) ||
         absl::c_any_of(resolved.partitions, partition_changed);
}

bool PriceBook::Admits(const priority::Job& job, const priority::Snapshot& snapshot) const {
  if (!HasPlace(job) || !HasPartitions(job) || !HasReservation(job)) return false;
  const priority::ResolvedJob known = priority::JobResolver(snapshot).Resolve(job);
  const auto use = priority::ReservationUseOf(snapshot, job, known.association);
  const bool is_refused =
      use == priority::ReservationUse::kMissing || use == priority::ReservationUse::kForbidden;
  const bool is_news = absl::c_any_of(
      job.partitions, [&](absl::string_view name) { return snapshot.FindPartition(name) < 0; });
  return is_news || is_refused || known.reason != priority::Reason::kNone ||
         Differs(known, snapshot);
}

std::variant<Price, Rejection> PriceBook::PriceOf(const UsageSubmission& record) const {
  const absl::string_view user = aliases_.Resolve(record.source, record.user);
  if (user == record.user) return PriceOfUser(record);
  UsageSubmission resolved = record;
  resolved.user = user;
  return PriceOfUser(resolved);
}

std::variant<Price, Rejection> PriceBook::PriceOfUser(const UsageSubmission& record) const {
  std::variant<std::string, Rejection> account = AccountOf(record);
  if (Rejection* rejection = std::get_if<Rejection>(&account)) return std::move(*rejection);
  std::variant<int64_t, Rejection> association =
      FindAssociation(record, std::get<std::string>(account));
  if (Rejection* rejection = std::get_if<Rejection>(&association)) return std::move(*rejection);
  Price price;
  price.association_id = std::get<int64_t>(association);
  std::optional<Rejection> rejection = PriceQos(record, &price);
  if (!rejection.has_value()) rejection = TakeTres(record, &price);
  if (!rejection.has_value()) rejection = PriceBilling(record, &price);
  if (rejection.has_value()) return *std::move(rejection);
  return price;
}

}  // namespace priorityd::usage
