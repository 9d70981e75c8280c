#include "client/slurm/driver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/slurm/site_texts.h"
#include "client/slurm/start_values.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr size_t kMostAboveBasic = 30'000;

using SprioById = std::map<std::string, const tables::SprioRow*>;

SprioById ById(const std::vector<tables::SprioRow>& rows) {
  SprioById by_id;
  for (const tables::SprioRow& row : rows) by_id[row.job_id] = &row;
  return by_id;
}

}  // namespace

Driver::Driver(DriveOptions options, RunCommand run, std::function<void(absl::Duration)> sleep)
    : options_(std::move(options)), run_(std::move(run)), sleep_(std::move(sleep)) {}

absl::Status Driver::Load() {
  if (options_.state_file.empty()) return absl::OkStatus();
  absl::StatusOr<DrivenJobs> driven = ReadDriveState(options_.state_file);
  if (!driven.ok()) return driven.status();
  driven_ = *std::move(driven);
  return absl::OkStatus();
}

absl::Status Driver::Save() const { return WriteDriveState(options_.state_file, driven_); }

int64_t Driver::ValueOf(const tables::SqueuePriority& job) const {
  return options_.by_nice ? job.nice : job.priority;
}

bool Driver::IsOurs(const std::string& id, const tables::SqueuePriority& now) const {
  const auto found = driven_.find(id);
  return found != driven_.end() && ValueOf(now) == found->second.value;
}

bool Driver::IsByHand(const std::string& id, const tables::SqueuePriority& now,
                      const SprioById& sprio, bool multifactor) const {
  const auto driven = driven_.find(id);
  const bool known = driven != driven_.end() && (ValueOf(now) == driven->second.value ||
                                                 ValueOf(now) == driven->second.before);
  const auto row = sprio.find(id);
  const bool set = row != sprio.end() && row->second->IsSetByHand();
  if (options_.by_nice) return set || (driven != driven_.end() && !known);
  if (multifactor) return set && !known;
  return driven != driven_.end() && !known;
}

bool Driver::IsPriorityByHand(const std::string& id, const tables::SqueuePriority& now,
                              const SprioById& sprio, bool multifactor) const {
  if (!options_.by_nice) return IsByHand(id, now, sprio, multifactor);
  // Then no priority is ours, and an administrator's nice value is not either.
  const auto row = sprio.find(id);
  return row != sprio.end() && row->second->IsSetByHand();
}

void Driver::Restore(const DriveInput& input, ::priority::v1::InlineJobs* jobs) const {
  const SprioById sprio = ById(input.sprio);
  for (auto& job : *jobs->mutable_jobs()) {
    const auto now = input.jobs.find(job.job_id());
    if (now == input.jobs.end()) continue;
    const auto driven = driven_.find(job.job_id());
    if (driven != driven_.end() && IsOurs(job.job_id(), now->second)) {
      job.set_nice(driven->second.nice);
    } else if (IsPriorityByHand(job.job_id(), now->second, sprio, input.multifactor) &&
               now->second.priority > 0) {
      job.set_admin_priority(static_cast<uint32_t>(now->second.priority));
    }
  }
}

std::vector<Driver::Change> Driver::Changes(const std::vector<std::string>& order,
                                            const DriveInput& input, DriveReport* report) const {
  const SprioById sprio = ById(input.sprio);
  std::vector<std::pair<std::string, tables::SqueuePriority>> jobs;
  std::vector<std::optional<int64_t>> now;
  for (const std::string& id : order) {
    const auto found = input.jobs.find(id);
    if (found == input.jobs.end() || !found->second.pending || found->second.priority == 0)
      continue;
    if (IsByHand(id, found->second, sprio, input.multifactor)) {
      ++report->by_hand;
      continue;
    }
    // Computed priorities change by themselves; set ones do not.
    const bool stays = IsOurs(id, found->second) || (!input.multifactor && !options_.by_nice);
    now.push_back(stays ? std::optional<int64_t>(found->second.priority) : std::nullopt);
    jobs.emplace_back(id, found->second);
  }
  report->ordered = static_cast<int64_t>(jobs.size());
  // If a queue is too long for the upper range, new jobs are first until they are set.
  const bool basic = !input.multifactor && !options_.by_nice && jobs.size() < kMostAboveBasic;
  const std::vector<int64_t> values = StartValues(now, basic ? kAboveBasic : kAboveMultifactor);
  std::vector<Change> changes;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const auto& [id, job] = jobs[i];
    if (job.priority == values[i]) continue;
    const auto driven = driven_.find(id);
    const bool known = driven != driven_.end() && IsOurs(id, job);
    const int64_t value = options_.by_nice ? job.nice + job.priority - values[i] : values[i];
    changes.push_back({id, {value, ValueOf(job), known ? driven->second.nice : job.nice}});
  }
  return changes;
}

absl::StatusOr<DriveReport> Driver::Drive(const std::vector<std::string>& order,
                                          const DriveInput& input) {
  DriveReport report;
  std::vector<Change> changes = Changes(order, input, &report);
  const auto most = static_cast<size_t>(options_.most);
  if (changes.size() > most) report.left = static_cast<int64_t>(changes.size() - most);
  changes.resize(std::min(changes.size(), most));
  // Forget jobs that have left the queue.
  for (auto it = driven_.begin(); it != driven_.end();) {
    it = input.jobs.count(it->first) == 0 ? driven_.erase(it) : std::next(it);
  }
  for (size_t begin = 0; begin < changes.size(); begin += static_cast<size_t>(options_.batch)) {
    const size_t end = std::min(changes.size(), begin + static_cast<size_t>(options_.batch));
    const std::vector<Change> batch(changes.begin() + static_cast<ptrdiff_t>(begin),
                                    changes.begin() + static_cast<ptrdiff_t>(end));
    if (absl::Status sent = Send(batch, &report); !sent.ok()) return sent;
    if (!options_.dry_run)
      sleep_(absl::Seconds(static_cast<double>(end - begin) / options_.per_second));
  }
  return report;
}

absl::Status Driver::Send(const std::vector<Change>& batch, DriveReport* report) {
  // Do not touch jobs that were held or set by hand since the queue was read.
  const absl::StatusOr<std::string> text = ReadQueue(run_);
  if (!text.ok()) return text.status();
  const auto now = tables::ReadSqueuePriorities("squeue", *text);
  if (!now.ok()) return now.status();
  std::string lines;
  const DrivenJobs before = driven_;
  for (const Change& change : batch) {
    const auto found = now->find(change.job_id);
    if (found == now->end() || !found->second.pending || found->second.priority == 0) continue;
    report->set.push_back(
        absl::StrCat("update JobId=", found->second.scontrol_id,
                     options_.by_nice ? " Nice=" : " Priority=", change.job.value));
    absl::StrAppend(&lines, report->set.back(), "\n");
    driven_[change.job_id] = change.job;
  }
  if (options_.dry_run) driven_ = before;
  if (options_.dry_run || lines.empty()) return absl::OkStatus();
  // Save before sending, so that a crash leaves no unknown value of ours.
  if (absl::Status saved = Save(); !saved.ok()) return saved;
  Run(lines, report);
  return absl::OkStatus();
}

void Driver::Run(const std::string& lines, DriveReport* report) {
  // scontrol refuses single jobs of a batch, mostly because they have started; the next pass reads
  // it.
  const absl::StatusOr<std::string> out = run_({"scontrol"}, lines);
  if (!out.ok()) report->errors.push_back(std::string(out.status().message()));
}

absl::StatusOr<DriveReport> Driver::Release(const DriveInput& input) {
  DriveReport report;
  std::vector<std::string> ids;
  for (const auto& [id, driven] : driven_) {
    const auto now = input.jobs.find(id);
    if (now == input.jobs.end() || !now->second.pending || now->second.priority == 0) continue;
    if (IsOurs(id, now->second)) ids.push_back(id);
  }
  for (size_t begin = 0; begin < ids.size(); begin += static_cast<size_t>(options_.batch)) {
    const size_t end = std::min(ids.size(), begin + static_cast<size_t>(options_.batch));
    const std::vector<std::string> batch(ids.begin() + static_cast<ptrdiff_t>(begin),
                                         ids.begin() + static_cast<ptrdiff_t>(end));
    if (absl::Status sent = SendRelease(batch, input, &report); !sent.ok()) return sent;
  }
  if (options_.dry_run || !report.errors.empty()) return report;
  driven_.clear();
  if (absl::Status saved = Save(); !saved.ok()) return saved;
  return report;
}

absl::Status Driver::SendRelease(const std::vector<std::string>& ids, const DriveInput& input,
                                 DriveReport* report) {
  // scontrol's release makes slurmctld compute the priority again; a set one lost the nice value.
  std::string lines;
  const auto add = [&](std::string line) {
    absl::StrAppend(&lines, line, "\n");
    report->set.push_back(std::move(line));
  };
  for (const std::string& id : ids) {
    const std::string& name = input.jobs.at(id).scontrol_id;
    const int64_t nice = driven_.at(id).nice;
    if (!options_.by_nice) add(absl::StrCat("release ", name));
    if (nice != 0 || options_.by_nice) add(absl::StrCat("update JobId=", name, " Nice=", nice));
  }
  if (!options_.dry_run) Run(lines, report);
  return absl::OkStatus();
}

}  // namespace priorityd::slurm_frontend
