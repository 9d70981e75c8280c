#include "server/configuration/parsed_policies.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::configuration {
namespace {

absl::StatusOr<slurm::SlurmConf> ParseFiles(const std::vector<storage::PolicyFile>& files) {
  std::vector<slurm::SourceFile> sources;
  for (const storage::PolicyFile& file : files) sources.push_back({file.name, file.content});
  absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseAcceptedSlurmConf(sources);
  if (!conf.ok()) return conf.status();
  for (const std::string& line : conf->unread) {
    spdlog::warn("a stored policy of a newer priorityd is applied without this line: {}", line);
  }
  for (const std::string& line : conf->losses) {
    spdlog::warn("a stored policy is applied without this line: {}", line);
  }
  return conf;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> ParsedPolicies::Parse(
    const std::vector<storage::PolicyFile>& files) {
  absl::MutexLock lock(&mutex_);
  const auto found =
      absl::c_find_if(policies_, [&](const Policy& policy) { return policy.files == files; });
  if (found != policies_.end()) {
    policies_.splice(policies_.begin(), policies_, found);
    return found->conf;
  }
  absl::StatusOr<slurm::SlurmConf> conf = ParseFiles(files);
  if (!conf.ok()) return conf.status();
  policies_.push_front({files, std::make_shared<const slurm::SlurmConf>(*std::move(conf))});
  if (policies_.size() > capacity_) policies_.pop_back();
  return policies_.front().conf;
}

}  // namespace priorityd::configuration
