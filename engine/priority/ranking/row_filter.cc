#include "engine/priority/ranking/row_filter.h"

#include "absl/algorithm/container.h"

namespace priorityd::priority {

RowFilter::RowFilter(const Snapshot& snapshot, const RankOptions& options)
    : snapshot_(snapshot),
      partitions_(options.partitions.begin(), options.partitions.end()),
      accounts_(options.accounts.begin(), options.accounts.end()),
      users_(options.users.begin(), options.users.end()) {
  const int partitions = static_cast<int>(snapshot.partitions().size());
  for (int i = -1; i < partitions; ++i) by_partition_.push_back(PassesPartition(i));
  if (!accounts_.empty() || !users_.empty()) by_association_.resize(snapshot.tree().size());
}

bool RowFilter::PassesPartition(int partition) const {
  return Passes(partitions_, partition < 0
                                 ? absl::string_view()
                                 : absl::string_view(snapshot_.partitions()[partition].name));
}

bool RowFilter::PassesRow(const JobTable& table, size_t row) {
  if (by_partition_[table.partition[row] + 1] == 0) return false;
  if (by_association_.empty()) return true;
  const uint32_t job = table.job[row];
  const AssociationIndex association = table.association[job];
  uint8_t& known = by_association_[association];
  if (known == kUnknown) {
    const AssociationTree& tree = snapshot_.tree();
    const bool passes =
        Passes(accounts_, tree.account(association)) && Passes(users_, tree.user(association));
    known = passes ? kPasses : kFails;
  }
  return known == kPasses || (!table.merged_users.empty() && PassesMerged(table, job));
}

bool RowFilter::PassesMerged(const JobTable& table, uint32_t job) const {
  const absl::string_view user = table.MergedUserOf(job);
  return !user.empty() && Passes(users_, user) &&
         Passes(accounts_, snapshot_.tree().account(table.association[job]));
}

bool RowFilter::PassesUser(absl::string_view user) const {
  return Passes(users_, user) || Passes(users_, snapshot_.tree().SurvivorOf(user));
}

bool RowFilter::PassesUnresolved(const Job& job, AssociationIndex association) const {
  const absl::string_view account =
      association == kNoAssociation ? job.account : snapshot_.tree().account(association);
  if (!Passes(accounts_, account) || !PassesUser(job.user)) return false;
  if (job.partitions.empty()) return PassesPartition(snapshot_.default_partition());
  return absl::c_any_of(job.partitions,
                        [this](absl::string_view name) { return Passes(partitions_, name); });
}

std::vector<uint8_t> RowFilter::Wanted(const JobTable& table) {
  std::vector<uint8_t> wanted;
  if (PassesAll()) return wanted;
  wanted.reserve(table.rows());
  for (size_t row = 0; row < table.rows(); ++row) wanted.push_back(PassesRow(table, row));
  return wanted;
}

}  // namespace priorityd::priority
