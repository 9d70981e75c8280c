#include "client/slurm/mirror.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/slurm/conf_text.h"
#include "client/slurm/dump_order.h"
#include "client/timestamp.h"

namespace priorityd::slurm_frontend {
namespace {

namespace v1 = ::priority::v1;

v1::File FileOf(v1::FileKind kind, const std::string& name, std::string content) {
  v1::File file;
  file.set_kind(kind);
  file.set_name(name);
  file.set_content(std::move(content));
  return file;
}

}  // namespace

absl::StatusOr<bool> Mirror::Import(const std::vector<v1::File>& files, bool clean) {
  v1::ImportRequest request;
  request.set_cluster(cluster_);
  request.set_clean(clean);
  request.mutable_files()->Add(files.begin(), files.end());
  const absl::StatusOr<v1::ImportResponse> response = client_->Import(std::move(request));
  if (!response.ok()) return response.status();
  if (clean) warnings_.assign(response->warnings().begin(), response->warnings().end());
  stale_ = true;
  return true;
}

absl::StatusOr<bool> Mirror::WriteSite(const SiteTexts& texts) {
  cluster_ = options_.cluster.empty() ? texts.cluster : options_.cluster;
  absl::StatusOr<std::string> dump = InOrderOfIds(texts.dump, texts.associations);
  if (!dump.ok()) return dump.status();
  std::string conf = ConfText(texts, options_.policy_lines);
  std::string site = absl::StrCat(conf, "\n", texts.qos, "\n", *dump);
  if (site == site_) return false;
  const auto imported = Import({FileOf(v1::FILE_KIND_SLURM_CONF, "slurm.conf", std::move(conf)),
                                FileOf(v1::FILE_KIND_QOS, "sacctmgr show qos", texts.qos),
                                FileOf(v1::FILE_KIND_SACCTMGR_DUMP, "sacctmgr dump", *dump)},
                               /*clean=*/true);
  if (!imported.ok()) return imported.status();
  site_ = std::move(site);
  return true;
}

absl::StatusOr<bool> Mirror::WriteShares(const std::string& shares) {
  if (shares == shares_) return false;
  const auto imported = Import({FileOf(v1::FILE_KIND_SSHARE, "sshare", shares)}, /*clean=*/false);
  if (!imported.ok()) return imported.status();
  shares_ = shares;
  return true;
}

bool Mirror::IsManual() const {
  return std::any_of(
      options_.policy_lines.begin(), options_.policy_lines.end(),
      [](const std::string& line) { return absl::EqualsIgnoreCase(line, "Clock=manual"); });
}

absl::Status Mirror::SetClock(std::optional<absl::Time> now) {
  return IsManual() ? Recalculate(now) : absl::OkStatus();
}

absl::Status Mirror::Recalculate(std::optional<absl::Time> as_of) {
  if (!IsManual()) as_of.reset();
  if (!stale_ && as_of == computed_for_) return absl::OkStatus();
  v1::RecalculateRequest request;
  request.set_cluster(cluster_);
  if (as_of.has_value()) *request.mutable_as_of() = client::ToTimestamp(*as_of);
  const absl::StatusOr<v1::Snapshot> snapshot = client_->Recalculate(std::move(request));
  if (!snapshot.ok()) return snapshot.status();
  stale_ = false;
  computed_for_ = as_of;
  return absl::OkStatus();
}

absl::StatusOr<QueueChange> Mirror::WriteQueue(v1::InlineJobs jobs) {
  v1::UpdateJobsRequest request;
  request.set_cluster(cluster_);
  request.set_source(options_.source);
  request.set_full_sync(true);
  request.mutable_upserts()->Swap(jobs.mutable_jobs());
  QueueChange change;
  change.jobs = request.upserts_size();
  const absl::StatusOr<v1::UpdateJobsResponse> response = client_->UpdateJobs(std::move(request));
  if (!response.ok()) return response.status();
  change.removed = response->removed_by_sync();
  for (const v1::JobUpdateResult& result : response->upserts()) {
    if (result.outcome() == v1::UPDATE_OUTCOME_UPSERTED) ++change.changed;
    if (result.reason().empty()) continue;
    if (change.refused++ == 0) {
      change.first_refusal = absl::StrCat(result.job_id(), ": ", result.message());
    }
  }
  return change;
}

absl::Status Mirror::AddAgain(const std::vector<v1::Job>& jobs) {
  v1::UpdateJobsRequest removal;
  removal.set_cluster(cluster_);
  removal.set_source(options_.source);
  v1::UpdateJobsRequest addition = removal;
  for (const v1::Job& job : jobs) {
    removal.add_removals(job.job_id());
    *addition.add_upserts() = job;
  }
  const auto removed = client_->UpdateJobs(std::move(removal));
  if (!removed.ok()) return removed.status();
  return client_->UpdateJobs(std::move(addition)).status();
}

void Mirror::Forget() {
  site_.clear();
  shares_.clear();
}

}  // namespace priorityd::slurm_frontend
