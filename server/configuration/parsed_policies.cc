#include "server/configuration/parsed_policies.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::configuration {
namespace {

// Some megabytes of hashes.
constexpr size_t kMostLogged = 100'000;

absl::StatusOr<slurm::SlurmConf> ParseFiles(const std::vector<storage::PolicyFile>& files) {
  std::vector<slurm::SourceFile> sources;
  for (const storage::PolicyFile& file : files) sources.push_back({file.name, file.content});
  return slurm::ParseAcceptedSlurmConf(sources);
}

void LogUnread(const slurm::SlurmConf& conf) {
  for (const std::string& line : conf.unread) {
    spdlog::warn("a stored policy of a newer priorityd is applied without this line: {}", line);
  }
  for (const std::string& line : conf.losses) {
    spdlog::warn("a stored policy is applied without this line: {}", line);
  }
}

size_t HashOf(const std::vector<storage::PolicyFile>& files) {
  size_t hash = 0;
  for (const storage::PolicyFile& file : files) {
    hash = absl::HashOf(hash, file.name, file.content);
  }
  return hash;
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
  if (logged_.size() == kMostLogged) logged_.clear();
  if (logged_.insert(HashOf(files)).second) LogUnread(*conf);
  policies_.push_front({files, std::make_shared<const slurm::SlurmConf>(*std::move(conf))});
  if (policies_.size() > capacity_) policies_.pop_back();
  return policies_.front().conf;
}

}  // namespace priorityd::configuration
