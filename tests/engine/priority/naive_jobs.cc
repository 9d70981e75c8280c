#include "tests/engine/priority/naive_jobs.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "tests/engine/priority/naive_limits.h"

namespace priorityd::priority {
namespace {

const std::vector<std::string>& Reasons() {
  static const auto& reasons = *new std::vector<std::string>{"InvalidJob",
                                                             "InvalidAccount",
                                                             "InvalidQOS",
                                                             "InvalidPartition",
                                                             "JobHeldUser",
                                                             "JobHeldAdmin",
                                                             "Dependency",
                                                             "BeginTime",
                                                             "PartitionDown",
                                                             "PartitionInactive",
                                                             "PartitionNodeLimit",
                                                             "PartitionTimeLimit",
                                                             "PartitionConfig",
                                                             "MaxMemPerLimit",
                                                             "AccountNotAllowed",
                                                             "QOSNotAllowed",
                                                             "Reservation",
                                                             "QOSUsageThreshold",
                                                             "a limit",
                                                             ""};
  return reasons;
}

bool Listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

size_t NaiveSeverity(const std::string& reason) {
  const size_t place = std::find(Reasons().begin(), Reasons().end(), reason) - Reasons().begin();
  return place < Reasons().size() ? place : NaiveSeverity("a limit");
}

NaiveJobs::NaiveJobs(const Snapshot& snapshot, absl::Span<const Job> jobs, absl::Time as_of)
    : snapshot(snapshot), jobs(jobs), as_of(as_of) {
  for (AssociationIndex i = 0; i < snapshot.tree().size(); ++i) {
    associations.push_back(snapshot.tree().association(i));
  }
  for (size_t job = 0; job < jobs.size(); ++job) Resolve(job);
  for (std::vector<NaivePair>& of_job : pairs) {
    for (NaivePair& pair : of_job) {
      if (pair.reason.empty()) pair.reason = NaiveLimitReason(*this, pair);
    }
  }
}

int NaiveJobs::FindAssociation(const Job& job) const {
  std::string account(job.account.empty() ? snapshot.DefaultAccount(job.user) : job.account);
  std::string partition;
  if (!job.partitions.empty()) {
    partition = std::string(job.partitions[0]);
  } else if (const Partition* by_default = DefaultPartition()) {
    partition = by_default->name;
  }
  int without_partition = -1;
  for (size_t i = 0; i < associations.size(); ++i) {
    const Association& a = associations[i];
    if (a.user.empty() || a.user != job.user || a.account != account) continue;
    if (!a.partition.empty() && a.partition == partition) return static_cast<int>(i);
    if (a.partition.empty()) without_partition = static_cast<int>(i);
  }
  return without_partition;
}

const Partition* NaiveJobs::DefaultPartition() const {
  for (const Partition& partition : snapshot.partitions()) {
    if (partition.is_default) return &partition;
  }
  return nullptr;
}

// From the association up to root.
std::vector<int> NaiveJobs::Path(int association) const {
  std::vector<int> path;
  for (int i = association; i >= 0; i = snapshot.tree().parent()[i]) path.push_back(i);
  return path;
}

std::vector<std::string> NaiveJobs::AllowedQos(int association) const {
  for (const int i : Path(association)) {
    if (associations[i].qos.has_value()) return *associations[i].qos;
  }
  return {};
}

std::vector<std::string> NaiveJobs::QosNames(const Job& job, int association) const {
  if (!job.qos.empty()) return {job.qos.begin(), job.qos.end()};
  const std::string of_root = associations[0].default_qos.value_or("");
  for (const int i : Path(association)) {
    if (!associations[i].default_qos.has_value()) continue;
    const std::string& own = *associations[i].default_qos;
    if (!own.empty() && own != of_root) return {own};
    break;
  }
  const std::vector<std::string> allowed = AllowedQos(association);
  if (allowed.size() == 1) return allowed;
  if (!of_root.empty()) return {of_root};
  for (const Qos& qos : snapshot.qos()) {
    if (qos.name == "normal") return {"normal"};
  }
  return {""};
}

void NaiveJobs::Resolve(size_t index) {
  const Job& job = jobs[index];
  pairs.emplace_back();
  whole.emplace_back();
  association.push_back(-1);
  const bool again = !ids_.insert(std::string(job.job_id)).second;
  if (again || !job.violation.empty()) {
    whole[index] = "InvalidJob";
    return;
  }
  association[index] = FindAssociation(job);
  if (association[index] < 0) {
    whole[index] = "InvalidAccount";
    return;
  }
  size_t furthest = 0;
  for (const std::string& partition : PartitionNames(job)) {
    for (const std::string& qos : QosNames(job, association[index])) {
      furthest = std::max(furthest, NaiveSeverity(AddPair(index, partition, qos)));
    }
  }
  if (pairs[index].empty()) whole[index] = Reasons()[furthest];
}

std::vector<std::string> NaiveJobs::PartitionNames(const Job& job) const {
  if (!job.partitions.empty()) return {job.partitions.begin(), job.partitions.end()};
  return {DefaultPartition() == nullptr ? "" : DefaultPartition()->name};
}

// Adds the pair if it exists; otherwise returns the reason.
std::string NaiveJobs::AddPair(size_t index, const std::string& partition_name,
                               const std::string& qos_name) {
  NaivePair pair;
  pair.job = index;
  pair.place = pairs[index].size();
  for (const Partition& p : snapshot.partitions()) {
    if (p.name == partition_name) pair.partition = &p;
  }
  for (const Qos& q : snapshot.qos()) {
    if (q.name == qos_name) pair.qos = &q;
  }
  const std::vector<std::string> allowed = AllowedQos(association[index]);
  const bool listed = allowed.empty() || Listed(allowed, qos_name);
  if (!qos_name.empty() && (pair.qos == nullptr || !listed)) return "InvalidQOS";
  if (!partition_name.empty() && pair.partition == nullptr) return "InvalidPartition";
  for (const NaivePair& known : pairs[index]) {
    if (known.partition == pair.partition && known.qos == pair.qos) return "";
  }
  pair.reason = ReasonOf(pair);
  pairs[index].push_back(pair);
  return "";
}

double NaiveNodes(const Job& job) { return job.nodes == 0 ? 1 : job.nodes; }

bool NaiveTooManyNodes(const Job& job, const Partition& p) {
  return (p.nodes > 0 && NaiveNodes(job) > p.nodes) ||
         (p.max_nodes && NaiveNodes(job) > *p.max_nodes) ||
         (job.nodes > 0 && job.nodes < p.min_nodes);
}

namespace {

double Count(const Job& job, const std::string& wanted) {
  for (const auto& [name, count] : job.tres) {
    if (absl::AsciiStrToLower(name) == wanted) return count;
  }
  return 0;
}

}  // namespace

bool NaiveTooLong(const Job& job, const Partition& p) {
  return job.time_limit && *job.time_limit > p.max_time;
}

bool NaiveJobs::AccountOrAncestorListed(const std::vector<std::string>& names, size_t job) const {
  for (const int i : Path(association[job])) {
    if (Listed(names, associations[i].account)) return true;
  }
  return false;
}

bool NaiveJobs::ReservationLets(size_t number) const {
  const Job& job = jobs[number];
  if (job.reservation.empty() || snapshot.reservations().empty()) return true;
  for (const Reservation& r : snapshot.reservations()) {
    if (r.name != job.reservation) continue;
    const bool user = Listed(r.users.names, std::string(job.user));
    const bool account = AccountOrAncestorListed(r.accounts.names, number);
    const bool by_user = r.users.names.empty() || (r.users.excludes ? !user : user);
    const bool by_account = r.accounts.names.empty() || (r.accounts.excludes ? !account : account);
    return by_user && by_account && as_of < r.end && (r.flex || as_of >= r.start);
  }
  return false;
}

std::string NaiveJobs::ReasonOf(const NaivePair& pair) const {
  const Job& job = jobs[pair.job];
  if (job.hold == Hold::kUser) return "JobHeldUser";
  if (job.hold == Hold::kAdmin) return "JobHeldAdmin";
  if (job.admin_priority && *job.admin_priority == 0) return "JobHeldAdmin";
  if (job.dependency_unmet) return "Dependency";
  if (job.eligible_time && *job.eligible_time > as_of) return "BeginTime";
  const std::string qos = pair.qos == nullptr ? "" : pair.qos->name;
  if (const Partition* p = pair.partition) {
    if (!p->up && !p->open) return "PartitionInactive";
    if (!p->up) return "PartitionDown";
    if (NaiveTooManyNodes(job, *p)) return "PartitionNodeLimit";
    if (NaiveTooLong(job, *p)) return "PartitionTimeLimit";
    const double cpus = job.cpus == 0 ? Count(job, "cpu") : job.cpus;
    if (p->tres.contains("cpu") && cpus > p->tres.at("cpu")) return "PartitionConfig";
    if (p->max_mem_per_node && Count(job, "mem") / NaiveNodes(job) > *p->max_mem_per_node) {
      return "MaxMemPerLimit";
    }
    if (!p->allow_accounts.empty()) {
      if (!AccountOrAncestorListed(p->allow_accounts, pair.job)) return "AccountNotAllowed";
    } else if (AccountOrAncestorListed(p->deny_accounts, pair.job)) {
      return "AccountNotAllowed";
    }
    if (!p->allow_qos.empty() ? !Listed(p->allow_qos, qos) : Listed(p->deny_qos, qos)) {
      return "QOSNotAllowed";
    }
  }
  if (!ReservationLets(pair.job)) return "Reservation";
  if (snapshot.policy().enforce.limits && pair.qos != nullptr &&
      pair.qos->enforce_usage_threshold && pair.qos->usage_threshold &&
      FairShareOf(pair.job) < *pair.qos->usage_threshold) {
    return "QOSUsageThreshold";
  }
  return "";
}

}  // namespace priorityd::priority
