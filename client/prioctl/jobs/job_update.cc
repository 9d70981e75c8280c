#include "client/prioctl/jobs/job_update.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/slurm/words/closest_word.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr int kDefaultNice = 100;  // Of `nice` without a value.
constexpr uint32_t kMostPriority = 4294967294;

absl::Status Wrong(const Setting& setting, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("Invalid ", setting.name, " value: got \"",
                                                 setting.value.value_or(""), "\", want ", want));
}

// One change of a job, as words make it.
struct Change {
  const Setting& setting;
  const v1::Job& job;
  absl::Time now;
  v1::Job* changed;
  std::vector<std::string>* paths;

  const std::string& text() const { return *setting.value; }
};

using Words = google::protobuf::RepeatedPtrField<std::string>;

void SetList(const std::string& text, Words* list) {
  for (const absl::string_view name : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    list->Add(std::string(name));
  }
}

absl::Status SetAccount(const Change& change) {
  change.changed->set_account(change.text());
  change.paths->push_back("account");
  return absl::OkStatus();
}
absl::Status SetPartition(const Change& change) {
  if (change.text().empty()) return Wrong(change.setting, "a partition, or several as a,b");
  SetList(change.text(), change.changed->mutable_partitions());
  change.paths->push_back("partitions");
  return absl::OkStatus();
}
absl::Status SetQos(const Change& change) {
  SetList(change.text(), change.changed->mutable_qos());
  change.paths->push_back("qos");
  return absl::OkStatus();
}
absl::Status SetName(const Change& change) {
  change.changed->set_name(change.text());
  change.paths->push_back("name");
  return absl::OkStatus();
}
absl::Status SetReservation(const Change& change) {
  change.changed->set_reservation(change.text());
  change.paths->push_back("reservation");
  return absl::OkStatus();
}
absl::Status SetDependency(const Change& change) {
  change.changed->set_dependency(change.text());
  change.paths->push_back("dependency");
  return absl::OkStatus();
}

absl::Status SetNice(const Change& change) {
  int64_t nice = kDefaultNice;
  if (change.setting.value.has_value() && !absl::SimpleAtoi(change.text(), &nice)) {
    return Wrong(change.setting, "a number");
  }
  change.changed->set_nice(nice);
  change.paths->push_back("nice");
  return absl::OkStatus();
}

absl::Status SetPriority(const Change& change) {
  uint32_t priority = 0;
  if (!absl::SimpleAtoi(change.text(), &priority) || priority > kMostPriority) {
    return Wrong(change.setting, "0 (hold) to 4294967294");
  }
  // A hold, by any caller.
  if (priority == 0) {
    change.changed->set_hold(v1::HOLD_ADMIN);
    change.paths->push_back("hold");
    return absl::OkStatus();
  }
  change.changed->set_admin_priority(priority);
  change.paths->push_back("admin_priority");
  return absl::OkStatus();
}

absl::Status SetSiteFactor(const Change& change) {
  int64_t factor = 0;
  if (!absl::SimpleAtoi(change.text(), &factor)) return Wrong(change.setting, "a number");
  change.changed->set_site_factor(factor);
  change.paths->push_back("site_factor");
  return absl::OkStatus();
}

absl::Status SetRequeue(const Change& change) {
  if (change.text() != "0" && change.text() != "1") return Wrong(change.setting, "0 or 1");
  change.changed->set_requeue(change.text() == "1");
  change.paths->push_back("requeue");
  return absl::OkStatus();
}

absl::Status SetTimeLimit(const Change& change) {
  absl::string_view text = change.text();
  const int sign = absl::ConsumePrefix(&text, "+") ? 1 : absl::ConsumePrefix(&text, "-") ? -1 : 0;
  const absl::StatusOr<absl::Duration> given = slurm::ParseTimeString(text);
  if (!given.ok()) return Wrong(change.setting, "a time such as 30, 2:00:00 or 1-0, or +60");
  change.paths->push_back("time_limit");
  if (sign == 0 && *given == absl::InfiniteDuration()) return absl::OkStatus();
  absl::Duration limit = *given;
  if (sign != 0) {
    if (!change.job.has_time_limit()) return Wrong(change.setting, "a time: the job has no limit");
    limit = ToDuration(change.job.time_limit()) + sign * *given;
  }
  if (limit < absl::ZeroDuration() || limit == absl::InfiniteDuration()) {
    return Wrong(change.setting, "a limit of at least 0");
  }
  change.changed->mutable_time_limit()->set_seconds(absl::ToInt64Seconds(limit));
  return absl::OkStatus();
}

absl::Status SetBegin(const Change& change) {
  const std::optional<absl::Time> begin = ParseBegin(change.text(), change.now);
  if (!begin.has_value()) {
    return Wrong(change.setting, "a time such as 2026-11-23T08:00, 08:00 or now+2hours");
  }
  // The job may have been submitted by a clock that goes ahead of ours.
  const absl::Time earliest =
      change.job.has_submit_time() ? ToTime(change.job.submit_time()) : *begin;
  const absl::Time time = std::max(*begin, earliest);
  auto* eligible = change.changed->mutable_eligible_time();
  eligible->set_seconds(absl::ToUnixSeconds(time));
  eligible->set_nanos(static_cast<int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(eligible->seconds()))));
  change.paths->push_back("eligible_time");
  return absl::OkStatus();
}

absl::Status SetThrottle(const Change& change) {
  uint32_t limit = 0;
  if (!absl::SimpleAtoi(change.text(), &limit)) return Wrong(change.setting, "a number of tasks");
  const std::string& ids = change.job.array_task_ids();
  if (ids.empty()) return absl::InvalidArgumentError("ArrayTaskThrottle: the job is no array");
  const std::string tasks = ids.substr(0, ids.find('%'));
  change.changed->set_array_task_ids(limit == 0 ? tasks : absl::StrCat(tasks, "%", limit));
  change.paths->push_back("array_task_ids");
  return absl::OkStatus();
}

absl::Status SetNodes(const Change& change) {
  uint32_t nodes = 0;
  // Of a range the minimum.
  if (!absl::SimpleAtoi(change.text().substr(0, change.text().find('-')), &nodes)) {
    return Wrong(change.setting, "a number of nodes");
  }
  change.changed->set_nodes(nodes);
  change.paths->push_back("nodes");
  return absl::OkStatus();
}

absl::Status SetCpus(const Change& change) {
  double cpus = 0;
  const std::string text = change.text().substr(0, change.text().find('-'));
  if (!absl::SimpleAtod(text, &cpus)) return Wrong(change.setting, "a number of CPUs");
  change.changed->set_cpus(cpus);
  change.paths->push_back("cpus");
  // Else the two contradict each other.
  if (change.job.tres().contains("cpu")) {
    *change.changed->mutable_tres() = change.job.tres();
    (*change.changed->mutable_tres())["cpu"] = cpus;
    change.paths->push_back("tres");
  }
  return absl::OkStatus();
}

struct Word {
  const char* name;
  absl::Status (*apply)(const Change&);  // Null = it is not priorityd's.
};
constexpr Word kWords[] = {
    {"Account", SetAccount},
    {"ArrayTaskThrottle", SetThrottle},
    {"Dependency", SetDependency},
    {"EligibleTime", SetBegin},
    {"JobName", SetName},
    {"Name", SetName},
    {"Nice", SetNice},
    {"NumCPUs", SetCpus},
    {"NumNodes", SetNodes},
    {"Partition", SetPartition},
    {"Priority", SetPriority},
    {"QOS", SetQos},
    {"Requeue", SetRequeue},
    {"ReservationName", SetReservation},
    {"SiteFactor", SetSiteFactor},
    {"StartTime", SetBegin},
    {"TimeLimit", SetTimeLimit},
    // Fields that only a frontend knows.
    {"AdminComment", nullptr},
    {"BurstBuffer", nullptr},
    {"Clusters", nullptr},
    {"ClusterFeatures", nullptr},
    {"Comment", nullptr},
    {"Contiguous", nullptr},
    {"CoreSpec", nullptr},
    {"CPUsPerTask", nullptr},
    {"Deadline", nullptr},
    {"DelayBoot", nullptr},
    {"EndTime", nullptr},
    {"ExcNodeList", nullptr},
    {"Extra", nullptr},
    {"Features", nullptr},
    {"Gres", nullptr},
    {"Licenses", nullptr},
    {"MailType", nullptr},
    {"MailUser", nullptr},
    {"MinCPUsNode", nullptr},
    {"MinMemoryCPU", nullptr},
    {"MinMemoryNode", nullptr},
    {"MinTmpDiskNode", nullptr},
    {"NodeList", nullptr},
    {"NumTasks", nullptr},
    {"OverSubscribe", nullptr},
    {"Reboot", nullptr},
    {"ReqCores", nullptr},
    {"ReqNodeList", nullptr},
    {"Shared", nullptr},
    {"StdOut", nullptr},
    {"Switches", nullptr},
    {"ThreadSpec", nullptr},
    {"TimeMin", nullptr},
    {"TRESPerNode", nullptr},
    {"UserID", nullptr},
    {"WCKey", nullptr},
    {"WorkDir", nullptr},
};

constexpr size_t kLeastLetters = 3;

// By its whole name, else by its beginning.
const Word* FindWord(absl::string_view name) {
  const Word* found = nullptr;
  for (const Word& word : kWords) {
    if (absl::EqualsIgnoreCase(word.name, name)) return &word;
    if (name.size() < kLeastLetters || !absl::StartsWithIgnoreCase(word.name, name)) continue;
    if (found != nullptr) return nullptr;
    found = &word;
  }
  return found;
}

bool NamesTheJob(absl::string_view word) {
  return absl::EqualsIgnoreCase(word, "job") || absl::EqualsIgnoreCase(word, "jobid");
}

// From and Until have no abbreviation.
bool TakeTerm(absl::string_view word, const std::string& value, JobUpdate* update) {
  const bool is_from = absl::EqualsIgnoreCase(word, "from");
  if (value.empty() || (!is_from && !absl::EqualsIgnoreCase(word, "until"))) return false;
  (is_from ? update->from : update->until) = value;
  return true;
}

absl::Status NotSupported(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("Update of this parameter is not supported: ", text, why));
}

std::string DidYouMean(absl::string_view name) {
  std::vector<std::string> names;
  for (const Word& word : kWords) names.emplace_back(word.name);
  const std::string meant = slurm::ClosestWord(name, names);
  return meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?");
}

absl::StatusOr<Setting> ParseSetting(const std::string& text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const bool has_value = text.find('=') != std::string::npos;
  const Word* word = FindWord(parts.first);
  if (word == nullptr) return NotSupported(text, DidYouMean(parts.first));
  if (word->apply == nullptr) {
    return NotSupported(text,
                        absl::StrCat(" (", word->name, " is the frontend's, not priorityd's)"));
  }
  if (!has_value && word->apply != SetNice) {
    return NotSupported(text, absl::StrCat(" (want ", word->name, "=VALUE)"));
  }
  return Setting{word->name, has_value ? std::make_optional(parts.second) : std::nullopt};
}

// `2hours`; seconds without a unit.
std::optional<absl::Duration> ParseLater(absl::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && absl::ascii_isdigit(text[digits])) ++digits;
  uint32_t count = 0;
  if (!absl::SimpleAtoi(text.substr(0, digits), &count)) return std::nullopt;
  const std::string unit = absl::AsciiStrToLower(text.substr(digits));
  const std::pair<const char*, absl::Duration> kUnits[] = {{"seconds", absl::Seconds(1)},
                                                           {"minutes", absl::Minutes(1)},
                                                           {"hours", absl::Hours(1)},
                                                           {"days", absl::Hours(24)},
                                                           {"weeks", absl::Hours(168)}};
  for (const auto& [name, length] : kUnits) {
    if (absl::StartsWith(name, unit)) return count * length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<absl::Time> ParseBegin(absl::string_view text, absl::Time now) {
  const absl::TimeZone zone = absl::LocalTimeZone();
  const std::string word = absl::AsciiStrToLower(text);
  if (word == "now") return now;
  if (absl::StartsWith(word, "now+")) {
    const auto later = ParseLater(word.substr(4));
    return later.has_value() ? std::make_optional(now + *later) : std::nullopt;
  }
  const absl::CivilDay today(absl::ToCivilSecond(now, zone));
  if (word == "tomorrow" || word == "midnight") return absl::FromCivil(today + 1, zone);
  absl::Time time;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) return time;
  for (const char* format : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    if (absl::ParseTime(format, text, zone, &time, nullptr)) return time;
  }
  const std::string of_day = word == "noon" ? "12:00" : std::string(text);
  for (const char* format : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"}) {
    const std::string at = absl::StrCat(absl::FormatCivilTime(today), "T", of_day);
    if (!absl::ParseTime(format, at, zone, &time, nullptr)) continue;
    if (time > now) return time;
    return absl::FromCivil(absl::ToCivilSecond(time, zone) + 86400, zone);
  }
  return std::nullopt;
}

absl::StatusOr<JobUpdate> ParseJobUpdate(const std::vector<std::string>& words) {
  JobUpdate update;
  for (const std::string& text : words) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    // `JobName=x` sets the name, beside a JobId; alone it names the jobs.
    if (NamesTheJob(parts.first)) {
      auto jobs = ParseJobNames(parts.second);
      if (!jobs.ok()) return jobs.status();
      update.jobs.insert(update.jobs.end(), jobs->begin(), jobs->end());
      continue;
    }
    if (TakeTerm(parts.first, parts.second, &update)) continue;
    auto setting = ParseSetting(text);
    if (!setting.ok()) return setting.status();
    update.settings.push_back(*std::move(setting));
  }
  if (update.jobs.empty()) {
    std::vector<Setting> rest;
    for (Setting& setting : update.settings) {
      const bool names = absl::EndsWith(setting.name, "Name") && setting.name != "ReservationName";
      if (!names || !update.jobs.empty()) {
        rest.push_back(std::move(setting));
      } else {
        update.jobs.push_back({absl::StrCat("name=", *setting.value), "", "", *setting.value});
      }
    }
    update.settings = std::move(rest);
  }
  if (update.jobs.empty()) return absl::InvalidArgumentError("No JobId or JobName is given");
  if (update.settings.empty()) return absl::InvalidArgumentError("No changes specified");
  return update;
}

absl::Status ApplySettings(const std::vector<Setting>& settings, const v1::Job& job, absl::Time now,
                           v1::Job* changed, std::vector<std::string>* paths) {
  changed->set_job_id(job.job_id());
  for (const Setting& setting : settings) {
    absl::Status applied = FindWord(setting.name)->apply({setting, job, now, changed, paths});
    if (!applied.ok()) return applied;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::jobs
