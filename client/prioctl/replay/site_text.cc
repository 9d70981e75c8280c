#include "client/prioctl/replay/site_text.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/dump/engine_values.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::replay {
namespace {

constexpr char kRoot[] = "root";
constexpr char kPartition[] = "main";

std::string Counted(int64_t count, const char* one) {
  return absl::StrCat(count, " ", one, count == 1 ? "" : "s");
}

// The associations of a dump, then those that are added.
class Tree {
 public:
  Tree() { AddRow({.account = kRoot}, 0); }

  void Add(const slurm::SacctmgrDump& dump) {
    priority::Association root = slurm::ToEngine(dump.root);
    root.account = kRoot;
    root.id = 1;
    rows_[0] = std::move(root);
    for (const slurm::DumpAssociation& line : dump.associations) {
      priority::Association row = slurm::ToEngine(line);
      if (row.account == kRoot && row.user.empty()) continue;
      const auto parent = accounts_.find(row.user.empty() ? line.parent_account : row.account);
      AddRow(std::move(row), parent == accounts_.end() ? 1 : parent->second);
    }
  }

  // A job's user and account, unless they are there. Whether they were not.
  bool AddUser(const std::string& account, const std::string& user) {
    if (account.empty() || users_.contains({account, user})) return false;
    if (!accounts_.contains(account)) AddRow({.account = account}, 1);
    AddRow({.account = account, .user = user}, accounts_[account]);
    return true;
  }

  const std::vector<priority::Association>& rows() const { return rows_; }

 private:
  void AddRow(priority::Association row, int64_t parent) {
    row.id = static_cast<int64_t>(rows_.size()) + 1;
    row.parent_id = parent;
    if (row.user.empty()) {
      accounts_[row.account] = row.id;
    } else {
      users_.emplace(row.account, row.user);
    }
    rows_.push_back(std::move(row));
  }

  std::vector<priority::Association> rows_;
  absl::flat_hash_map<std::string, int64_t> accounts_;
  absl::flat_hash_set<std::pair<std::string, std::string>> users_;
};

class SiteMaker {
 public:
  SiteMaker(const SiteTexts& texts, History* history, std::vector<std::string>* notes)
      : texts_(texts), history_(*history), notes_(*notes) {}

  absl::StatusOr<laboratory::Site> Make() {
    absl::Status made = texts_.slurm_conf.empty() ? MakeNodes() : ReadConf();
    if (made.ok()) made = ReadDump();
    if (made.ok()) made = ReadQos();
    if (!made.ok()) return made;
    AddMissingQos();
    TakeUnknownNames();
    AddMissingUsers();
    absl::StatusOr<priority::AssociationTree> tree = priority::AssociationTree::Build(tree_.rows());
    if (!tree.ok()) return tree.status();
    site_.tree = std::make_shared<const priority::AssociationTree>(*std::move(tree));
    return std::move(site_);
  }

 private:
  absl::Status ReadConf() {
    auto conf = slurm::ParseSlurmConf(texts_.slurm_conf);
    if (!conf.ok()) return conf.status();
    if (!conf->cluster.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(texts_.slurm_conf[0].name, ": got no NodeName lines, want nodes"));
    }
    const auto kinds = slurm::ReadNodeKinds(texts_.slurm_conf);
    if (!kinds.ok()) return kinds.status();
    site_.cluster = *std::move(conf->cluster);
    site_.cluster.name = conf->cluster_name;
    site_.partitions = std::move(conf->partitions);
    for (const slurm::NodeKind& kind : *kinds) {
      auto names = slurm::ExpandHostlist(kind.hosts);
      if (!names.ok()) return names.status();
      // A node in no partition runs nothing, nor does one that is DOWN, DRAIN or FAIL.
      const bool is_up = slurm::LineStateOf(kind.settings) == slurm::NodeLineState::kUp;
      if (is_up && (!kind.partitions.empty() || site_.partitions.empty())) {
        site_.nodes.push_back({*std::move(names), kind.tres, kind.partitions});
      }
    }
    return absl::OkStatus();
  }

  absl::Status MakeNodes() {
    int64_t nodes = texts_.nodes, cpus_per_node = texts_.cpus_per_node;
    if (nodes == 0) nodes = history_.nodes;
    if (nodes == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          history_.name, ": got no description of nodes, want --site, --slurm-conf or --nodes"));
    }
    if (texts_.nodes == 0) cpus_per_node = history_.cpus / nodes;
    laboratory::NodeShape& shape = site_.nodes.emplace_back();
    for (int64_t i = 1; i <= nodes; ++i) shape.names.push_back(absl::StrCat("n", i));
    shape.tres["cpu"] = static_cast<double>(cpus_per_node);
    shape.partitions = {kPartition};
    site_.cluster = {.name = "trace",
                     .nodes = static_cast<double>(nodes),
                     .cpus = static_cast<double>(nodes * cpus_per_node)};
    priority::Partition& partition = site_.partitions.emplace_back();
    partition.name = kPartition;
    partition.is_default = true;
    partition.nodes = site_.cluster.nodes;
    partition.tres = {{"cpu", site_.cluster.cpus}, {"node", site_.cluster.nodes}};
    return absl::OkStatus();
  }

  absl::Status ReadDump() {
    if (!texts_.dump.has_value()) return absl::OkStatus();
    const auto dump = slurm::ParseSacctmgrDump(*texts_.dump);
    if (!dump.ok()) return dump.status();
    tree_.Add(*dump);
    const auto of = slurm::DefaultAccounts(*dump);
    std::vector<priority::DefaultAccounts::UserAndAccount> accounts(of.begin(), of.end());
    site_.default_accounts = std::make_shared<const priority::DefaultAccounts>(accounts);
    for (const slurm::QosRow& row : dump->qos) site_.qos.push_back(slurm::ToEngine(row));
    return absl::OkStatus();
  }

  // A table's QOS stand for a dump's of the same name.
  absl::Status ReadQos() {
    if (!texts_.qos.has_value()) return absl::OkStatus();
    const auto table = slurm::ParseQosTable(*texts_.qos);
    if (!table.ok()) return table.status();
    for (const slurm::QosRow& row : table->rows) {
      site_.qos.erase(
          std::remove_if(site_.qos.begin(), site_.qos.end(),
                         [&](const priority::Qos& qos) { return qos.name == row.qos.name; }),
          site_.qos.end());
      site_.qos.push_back(slurm::ToEngine(row));
    }
    return absl::OkStatus();
  }

  void AddMissingQos() {
    std::set<std::string> names;
    for (const priority::Association& row : tree_.rows()) {
      names.insert(row.default_qos.value_or(""));
      if (row.qos.has_value()) names.insert(row.qos->begin(), row.qos->end());
    }
    for (const priority::Partition& partition : site_.partitions) names.insert(partition.qos);
    // Without a table only the jobs name QOS.
    if (!texts_.qos.has_value()) {
      for (const laboratory::HistoryJob& job : history_.jobs) names.insert(job.qos);
    }
    names.erase("");
    for (const priority::Qos& qos : site_.qos) names.erase(qos.name);
    for (const std::string& name : names) site_.qos.emplace_back().name = name;
  }

  void TakeUnknownNames() {
    std::set<std::string> partitions, qos;
    for (const priority::Partition& partition : site_.partitions) partitions.insert(partition.name);
    for (const priority::Qos& one : site_.qos) qos.insert(one.name);
    int64_t without_partition = 0, without_qos = 0;
    for (laboratory::HistoryJob& job : history_.jobs) {
      const size_t named = job.partitions.size();
      job.partitions.erase(
          std::remove_if(job.partitions.begin(), job.partitions.end(),
                         [&](const std::string& name) { return partitions.count(name) == 0; }),
          job.partitions.end());
      without_partition += named > 0 && job.partitions.empty();
      if (job.qos.empty() || qos.count(job.qos) > 0) continue;
      job.qos.clear();
      ++without_qos;
    }
    Note(without_partition, " of partitions that are not there: played in the default one");
    Note(without_qos, " of QOS that are not there: played under the default one");
  }

  void Note(int64_t jobs, const char* what) {
    if (jobs > 0) notes_.push_back(absl::StrCat(Counted(jobs, "job"), what));
  }

  void AddMissingUsers() {
    int64_t added = 0;
    for (const laboratory::HistoryJob& job : history_.jobs) {
      if (job.account.empty() && site_.default_accounts != nullptr &&
          !site_.default_accounts->Find(job.user).empty()) {
        continue;
      }
      added += tree_.AddUser(job.account, job.user);
    }
    if (added == 0 || !texts_.dump.has_value()) return;
    notes_.push_back(absl::StrCat(Counted(added, "user"), " of accounts that the dump does not ",
                                  "name: added with Fairshare=1"));
  }

  const SiteTexts& texts_;
  History& history_;
  std::vector<std::string>& notes_;
  laboratory::Site site_;
  Tree tree_;
};

}  // namespace

absl::StatusOr<laboratory::Site> MakeSite(const SiteTexts& texts, History* history,
                                          std::vector<std::string>* notes) {
  return SiteMaker(texts, history, notes).Make();
}

}  // namespace priorityd::replay
