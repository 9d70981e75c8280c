#include "tests/engine/priority/small_site.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

template <typename Named>
Named& FindNamed(std::vector<Named>& things, absl::string_view name) {
  for (Named& thing : things) {
    if (thing.name == name) return thing;
  }
  std::cerr << "the small site has no " << name << "\n";
  std::abort();
}

Partition MakePartition(absl::string_view name, double nodes) {
  Partition partition;
  partition.name = std::string(name);
  partition.nodes = nodes;
  partition.tres = {{"cpu", 8 * nodes}, {"mem", 16000 * nodes}, {"node", nodes}};
  return partition;
}

Association MakeAssociation(int64_t id, int64_t parent_id, absl::string_view account,
                            absl::string_view user, uint32_t shares) {
  Association association;
  association.id = id;
  association.parent_id = parent_id;
  association.account = std::string(account);
  association.user = std::string(user);
  association.raw_shares = shares;
  return association;
}

}  // namespace

SmallSite::SmallSite() {
  source.computed_at = kNow;
  source.cluster = {"small", 8, 64, {{"mem", 128000}, {"license/matlab", 10}}};
  source.policy.time_zone = absl::UTCTimeZone();
  source.partitions = {MakePartition("main", 8), MakePartition("fast", 4)};
  source.partitions.front().is_default = true;
  source.qos.resize(2);
  source.qos[0].name = "normal";
  source.qos[1].name = "high";
  source.qos[1].priority = 100;
  source.default_accounts = std::make_shared<const DefaultAccounts>(
      std::vector<DefaultAccounts::UserAndAccount>{{"ann", "physics"}});
  associations = {
      MakeAssociation(1, 0, "root", "", 1),       MakeAssociation(2, 1, "physics", "", 60),
      MakeAssociation(3, 2, "physics", "ann", 1), MakeAssociation(4, 2, "physics", "bob", 1),
      MakeAssociation(5, 1, "chemistry", "", 40), MakeAssociation(6, 5, "chemistry", "cat", 1)};
}

Partition& SmallSite::partition(absl::string_view name) {
  return FindNamed(source.partitions, name);
}

Qos& SmallSite::qos(absl::string_view name) { return FindNamed(source.qos, name); }

Association& SmallSite::association(absl::string_view account, absl::string_view user) {
  for (Association& association : associations) {
    if (association.account == account && association.user == user) return association;
  }
  std::cerr << "the small site has no association " << account << "/" << user << "\n";
  std::abort();
}

std::unique_ptr<const Snapshot> SmallSite::Build() const {
  SnapshotSource built = source;
  AssociationTree tree = AssociationTree::Build(associations).value();
  if (!merges.empty()) tree = tree.WithMergedUsers(merges);
  built.tree = std::make_shared<const AssociationTree>(std::move(tree));
  for (AssociationIndex i = 0; i < built.tree->size(); ++i) {
    const std::string account(built.tree->account(i));
    const auto found = usage.find(
        built.tree->is_user(i) ? absl::StrCat(account, "/", built.tree->user(i)) : account);
    built.own_usage.push_back(found == usage.end() ? 0 : found->second);
  }
  return Snapshot::Compute(std::move(built));
}

Job JobOf(absl::string_view job_id) {
  Job job;
  job.job_id = job_id;
  job.user = "ann";
  job.account = "physics";
  job.submit_time = kNow - absl::Hours(1);
  return job;
}

RankOptions Now() {
  RankOptions options;
  options.as_of = kNow;
  options.with_factors = true;
  return options;
}

std::vector<std::string> JobIds(const Ranking& ranking, absl::Span<const Job> jobs) {
  std::vector<std::string> ids;
  for (const RankedRow& row : ranking.ranked) ids.push_back(std::string(jobs[row.job].job_id));
  return ids;
}

std::vector<std::string> NamesOfPairs(const Snapshot& snapshot, const Ranking& ranking,
                                      absl::Span<const Job> jobs) {
  std::vector<std::string> names;
  for (const RankedRow& row : ranking.ranked) {
    names.push_back(absl::StrCat(
        jobs[row.job].job_id, "@",
        row.partition < 0 ? absl::string_view("-")
                          : absl::string_view(snapshot.partitions()[row.partition].name),
        row.qos < 0 ? "" : absl::StrCat("/", snapshot.qos()[row.qos].name)));
  }
  return names;
}

}  // namespace priorityd::priority
