#include "tests/oracle/captured_queue.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "tests/oracle/tsv.h"

namespace priorityd {
namespace {

using google::protobuf::util::TimeUtil;

constexpr char kFolder[] = "tests/oracle/jobs/";

std::vector<TsvRow> ReadTable(const std::string& name) {
  return ReadTsv(absl::StrCat(kFolder, name, ".tsv"));
}

std::optional<absl::Time> TimeOf(bool set, const google::protobuf::Timestamp& time) {
  if (!set) return std::nullopt;
  return absl::FromUnixSeconds(time.seconds());
}

priority::Job ToJob(const ::priority::v1::Job& message) {
  priority::Job job;
  job.job_id = message.job_id();
  job.user = message.user();
  job.account = message.account();
  for (const std::string& partition : message.partitions()) job.partitions.push_back(partition);
  for (const std::string& qos : message.qos()) job.qos.push_back(qos);
  if (message.state() == ::priority::v1::JOB_STATE_RUNNING)
    job.state = priority::JobState::kRunning;
  job.submit_time = TimeOf(message.has_submit_time(), message.submit_time());
  job.eligible_time = TimeOf(message.has_eligible_time(), message.eligible_time());
  job.accrue_time = TimeOf(message.has_accrue_time(), message.accrue_time());
  if (message.hold() == ::priority::v1::HOLD_USER) job.hold = priority::Hold::kUser;
  if (message.hold() == ::priority::v1::HOLD_ADMIN) job.hold = priority::Hold::kAdmin;
  job.dependency_unmet = message.dependency_unmet();
  job.nodes = message.nodes();
  job.cpus = message.cpus();
  for (const auto& [name, count] : message.tres()) job.tres.emplace_back(name, count);
  if (message.has_time_limit()) job.time_limit = absl::Seconds(message.time_limit().seconds());
  job.nice = static_cast<int32_t>(message.nice());
  job.site_factor = message.site_factor();
  if (message.has_admin_priority()) job.admin_priority = message.admin_priority();
  return job;
}

// Policy, cluster and partitions; the rest is left as it is by default.
priority::SnapshotSource ReadConfiguration(const std::string& path) {
  const slurm::SourceFile file = {path, absl::StrJoin(ReadLines(path), "\n")};
  slurm::SlurmConf conf = slurm::ParseSlurmConf({&file, 1}).value();
  priority::SnapshotSource source;
  source.policy = std::move(conf.policy);
  source.policy.fair_tree_ties = priority::FairTreeTies::kSlurm;
  source.cluster = std::move(conf.cluster).value();
  source.partitions = std::move(conf.partitions);
  return source;
}

std::shared_ptr<const priority::AssociationTree> ReadTree(std::map<int64_t, double>& own_usage) {
  std::vector<priority::Association> associations;
  for (const TsvRow& row : ReadTable("associations")) {
    priority::Association& a = associations.emplace_back();
    a.id = IntegerOf(row.at("id"));
    a.parent_id = IntegerOf(row.at("parent_id"));
    a.account = row.at("account");
    a.user = row.at("user");
    a.raw_shares.reset();
    if (row.at("raw_shares") != "parent") a.raw_shares = IntegerOf(row.at("raw_shares"));
    if (const auto priority = NumberIn(row, "priority")) a.priority = *priority;
    if (const auto limit = NumberIn(row, "max_jobs_accrue")) a.limits.max_jobs_accrue = *limit;
    own_usage[a.id] = NumberOf(row.at("own_usage"));
  }
  return std::make_shared<const priority::AssociationTree>(
      priority::AssociationTree::Build(std::move(associations)).value());
}

}  // namespace

std::vector<std::string> CapturedQueue::Configs() {
  std::vector<std::string> configs;
  for (const TsvRow& row : ReadTable("passes")) configs.push_back(row.at("config"));
  return configs;
}

CapturedQueue::CapturedQueue(const std::string& config) {
  priority::SnapshotSource source = ReadConfiguration(absl::StrCat(kFolder, config, ".slurm.conf"));
  std::map<int64_t, double> own_usage;
  source.tree = ReadTree(own_usage);
  for (const int64_t id : source.tree->id()) source.own_usage.push_back(own_usage.at(id));
  for (const TsvRow& row : ReadTable("qos")) {
    priority::Qos& qos = source.qos.emplace_back();
    qos.name = row.at("name");
    qos.priority = IntegerOf(row.at("priority"));
    qos.usage_factor = NumberOf(row.at("usage_factor"));
  }
  snapshot_ = priority::Snapshot::Compute(std::move(source));
  for (const TsvRow& row : ReadTable("passes")) {
    if (row.at("config") != config) continue;
    as_of_ = absl::FromUnixSeconds(IntegerOf(row.at("last_priority_pass_epoch")));
    ReadJobs(absl::StrCat(kFolder, "jobs.jsonl"));
    const std::string& own_jobs = row.at("own_jobs");
    if (!own_jobs.empty()) ReadJobs(absl::StrCat(kFolder, own_jobs));
  }
  for (const auto& [job_id, message] : messages_) jobs_.push_back(ToJob(message));
  for (const TsvRow& row : ReadTable("sprio")) {
    if (row.at("config") == config) AddSprio(row);
  }
  for (const TsvRow& row : ReadTable("squeue")) {
    if (row.at("config") != config) continue;
    squeue_.push_back({row.at("job_id"), row.at("partitions"), row.at("state"), row.at("reason"),
                       static_cast<uint32_t>(IntegerOf(row.at("priority")))});
  }
}

void CapturedQueue::ReadJobs(const std::string& path) {
  for (const std::string& line : ReadLines(path)) {
    ::priority::v1::Job message;
    if (!google::protobuf::util::JsonStringToMessage(line, &message).ok()) {
      std::cerr << path << ": not a Job: " << line << "\n";
      std::abort();
    }
    messages_[message.job_id()] = message;
  }
}

void CapturedQueue::AddSprio(const TsvRow& row) {
  CapturedFactors& captured = sprio_[{row.at("job_id"), row.at("partition")}];
  for (const auto& [column, text] : row) {
    if (text.empty()) continue;
    if (absl::EndsWith(column, "_n")) {
      captured.factors[column.substr(0, column.size() - 2)] = NumberOf(text);
    } else if (absl::EndsWith(column, "_w")) {
      captured.contributions[column.substr(0, column.size() - 2)] = NumberOf(text);
    }
  }
  captured.site = NumberOf(row.at("site"));
  captured.nice = NumberOf(row.at("nice"));
  captured.priority = IntegerOf(row.at("priority"));
}

}  // namespace priorityd
