// The policy laboratory beside the service: the queue of the example site, as captured from a real
// Slurm, played by `policy replay` and started by PlanStarts over gRPC.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/replay/policy_text.h"
#include "client/prioctl/replay/site_text.h"
#include "engine/laboratory/machine.h"
#include "engine/laboratory/simulation.h"
#include "server/messages/convert_time.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

// By job: `20 13:05:14 on n1,n2`.
using Starts = std::map<std::string, std::string>;

constexpr absl::Duration kPeriod = absl::Minutes(10);

std::string Read(const std::string& name) {
  std::ifstream file("deploy/example/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// That of the example, with other words for backfill and a period that is played faster.
std::string SlurmConf(const std::string& words) {
  const std::string conf = absl::StrReplaceAll(
      Read("slurm.conf"),
      {{"SchedulerParameters=bf_max_job_test=1000", "SchedulerParameters=" + words},
       {"PriorityCalcPeriod=1\n",
        absl::StrCat("PriorityCalcPeriod=", kPeriod / absl::Minutes(1), "\n")}});
  EXPECT_THAT(conf, testing::HasSubstr(words));
  return "Clock=manual\n" + conf;
}

struct Job {
  v1::Job tracked;  // Pending.
  absl::Duration run_time;
};

// The jobs of the example. Each ends some time before its time limit. What a history does not have
// is not of the queue either: holds, dependencies, nice values and what an administrator has set.
std::vector<Job> QueueOfTheExample() {
  std::vector<Job> jobs;
  for (const absl::string_view line : absl::StrSplit(Read("jobs.jsonl"), '\n', absl::SkipEmpty())) {
    v1::Job from;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(std::string(line), &from).ok());
    Job& job = jobs.emplace_back();
    job.tracked = JobOf(from.job_id(), from.user());
    job.tracked.set_account(from.account());
    *job.tracked.mutable_partitions() = from.partitions();
    *job.tracked.mutable_qos() = from.qos();
    *job.tracked.mutable_submit_time() = from.submit_time();
    *job.tracked.mutable_eligible_time() = from.submit_time();
    job.tracked.set_nodes(from.nodes());
    job.tracked.set_cpus(from.cpus());
    for (const auto& [name, count] : from.tres()) {
      if (name == "mem" || name == "gres/gpu") (*job.tracked.mutable_tres())[name] = count;
    }
    const int minutes = from.time_limit().seconds() > 0 ? from.time_limit().seconds() / 60 : 60;
    job.tracked.mutable_time_limit()->set_seconds(60 * minutes);
    const auto number = static_cast<int>(jobs.size());
    job.run_time = absl::Seconds(std::min(60 * minutes * (1 + number % 5) / 5, 7000 + 13 * number));
  }
  return jobs;
}

absl::Time Eligible(const Job& job) { return ToTime(job.tracked.eligible_time()); }

template <typename Names>
std::string StartText(absl::Time start, const Names& nodes) {
  return absl::StrCat(absl::FormatTime("%d %H:%M:%S", start, absl::UTCTimeZone()), " on ",
                      absl::StrJoin(nodes, ","));
}

laboratory::HistoryJob Recorded(const Job& job) {
  laboratory::HistoryJob recorded{.id = job.tracked.job_id(),
                                  .user = job.tracked.user(),
                                  .account = job.tracked.account(),
                                  .qos = job.tracked.qos(0),
                                  .submit = Eligible(job),
                                  .eligible = Eligible(job),
                                  .start = Eligible(job),
                                  .run_time = job.run_time,
                                  .nodes = job.tracked.nodes(),
                                  .cpus = job.tracked.cpus(),
                                  .time_limit = ToDuration(job.tracked.time_limit())};
  recorded.partitions.assign(job.tracked.partitions().begin(), job.tracked.partitions().end());
  recorded.tres.insert(job.tracked.tres().begin(), job.tracked.tres().end());
  return recorded;
}

// As `prioctl policy replay` plays it.
Starts Laboratory(const std::string& conf, const std::vector<Job>& jobs) {
  replay::History history;
  for (const Job& job : jobs) history.jobs.push_back(Recorded(job));
  laboratory::SortHistory(&history.jobs);
  replay::SiteTexts texts{.slurm_conf = {{"slurm.conf", conf}}};
  texts.dump = {"dump", Read("sacctmgr.dump")};
  texts.qos = {"qos.txt", Read("qos.txt")};
  std::vector<std::string> notes;
  const auto site = replay::MakeSite(texts, &history, &notes);
  EXPECT_TRUE(site.ok()) << site.status();
  const auto trial = replay::ReadTrial(texts.slurm_conf, {}, absl::InfinitePast(), &notes);
  EXPECT_TRUE(trial.ok()) << trial.status();
  const laboratory::Played played = laboratory::Play(*site, history.jobs, trial->options);
  const laboratory::Machine machine(*site);
  Starts starts;
  for (size_t i = 0; i < history.jobs.size(); ++i) {
    if (!played.schedule.starts[i].has_value()) continue;
    std::vector<std::string> nodes;
    for (const int node : played.nodes[i]) nodes.push_back(machine.node_names()[node]);
    starts[history.jobs[i].id] = StartText(*played.schedule.starts[i], nodes);
  }
  return starts;
}

// A batch system on the service. It submits each job when it is eligible, starts what a plan says
// may start, one job after another, and records usage before each recalculation.
class Frontend {
 public:
  Frontend(const std::string& conf, std::vector<Job> jobs) : jobs_(std::move(jobs)) {
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](const Job& a, const Job& b) { return Eligible(a) < Eligible(b); });
    v1::ImportRequest site;
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", conf, &site);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", Read("sacctmgr.dump"), &site);
    AddFile(v1::FILE_KIND_QOS, "qos.txt", Read("qos.txt"), &site);
    Import(service_, site);
    period_ = absl::UnixEpoch() + absl::Floor(Eligible(jobs_[0]) - absl::UnixEpoch(), kPeriod);
    Recalculate();
  }

  Starts Run() {
    while (next_ < jobs_.size() || !running_.empty()) {
      now_ = Next();
      for (; period_ + kPeriod <= now_; Recalculate()) {
        period_ += kPeriod;
        RecordUsage();
      }
      v1::UpdateJobsRequest changes = Upserts({});
      End(&changes);
      for (; next_ < jobs_.size() && Eligible(jobs_[next_]) <= now_; ++next_) {
        *changes.add_upserts() = jobs_[next_].tracked;
      }
      Send(changes);
      while (StartOne()) {
      }
    }
    return starts_;
  }

 private:
  struct Running {
    v1::Job job;
    absl::Time recorded;  // Usage until then is recorded.
    absl::Time end;
  };

  absl::Time Next() const {
    absl::Time next = period_ + kPeriod;
    if (next_ < jobs_.size()) next = std::min(next, Eligible(jobs_[next_]));
    for (const auto& [id, running] : running_) next = std::min(next, running.end);
    return next;
  }

  void End(v1::UpdateJobsRequest* changes) {
    for (auto at = running_.begin(); at != running_.end();) {
      if (at->second.end > now_) {
        ++at;
        continue;
      }
      changes->add_removals(at->first);
      ended_.push_back(at->second);
      at = running_.erase(at);
    }
  }

  void Send(const v1::UpdateJobsRequest& changes) {
    const v1::UpdateJobsResponse answer = UpdateJobs(service_, changes);
    for (const v1::JobUpdateResult& result : answer.upserts()) {
      ASSERT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED) << result.DebugString();
    }
  }

  // Starts the first job that may start; false if there is none.
  bool StartOne() {
    v1::PlanStartsRequest request;
    request.mutable_tracked();
    *request.mutable_as_of() = ToTimestamp(now_);
    v1::PlanStartsResponse plan;
    const grpc::Status done = CallUnary(service_, request, &plan);
    EXPECT_TRUE(done.ok()) << done.error_message();
    const auto first = std::find_if(plan.starts().begin(), plan.starts().end(),
                                    [](const v1::PlannedStart& job) { return job.starts_now(); });
    if (first == plan.starts().end()) return false;
    Start(*first);
    return true;
  }

  void Start(const v1::PlannedStart& start) {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& one) {
      return one.tracked.job_id() == start.job_id();
    });
    Running& running = running_[start.job_id()];
    running = {job->tracked, now_, now_ + job->run_time};
    running.job.set_state(v1::JOB_STATE_RUNNING);
    *running.job.mutable_start_time() = ToTimestamp(now_);
    running.job.mutable_partitions()->Clear();
    running.job.add_partitions(start.partition());
    running.job.set_node_list(absl::StrJoin(start.nodes(), ","));
    starts_[start.job_id()] = StartText(now_, start.nodes());
    Send(Upserts({running.job}));
  }

  void RecordUsage() {
    v1::RecordUsageRequest request;
    for (auto& [id, running] : running_) Record(&running, &request);
    for (Running& ended : ended_) Record(&ended, &request);
    ended_.clear();
    if (!request.records().empty()) {
      EXPECT_EQ(rpc::RecordUsage(service_, request).accepted(), request.records_size());
    }
  }

  void Record(Running* running, v1::RecordUsageRequest* request) {
    const absl::Time until = std::min(period_, running->end);
    if (until <= running->recorded) return;
    const v1::Job& job = running->job;
    v1::UsageRecord& record = *request->add_records();
    record.set_source("frontend");
    record.set_record_id(absl::StrCat(job.job_id(), "-", absl::ToUnixSeconds(until)));
    record.set_job_id(job.job_id());
    record.set_user(job.user());
    record.set_account(job.account());
    record.set_partition(job.partitions(0));
    record.set_qos(job.qos(0));
    *record.mutable_start_time() = ToTimestamp(running->recorded);
    *record.mutable_end_time() = ToTimestamp(until);
    *record.mutable_tres() = job.tres();
    (*record.mutable_tres())["cpu"] = job.cpus();
    (*record.mutable_tres())["node"] = job.nodes();
    running->recorded = until;
  }

  void Recalculate() {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(period_);
    rpc::Recalculate(service_, request);
  }

  TestService service_;
  std::vector<Job> jobs_;
  size_t next_ = 0;
  std::map<std::string, Running> running_;
  std::vector<Running> ended_;
  absl::Time period_;  // The time of the last recalculation.
  absl::Time now_;
  Starts starts_;
};

TEST(PlanReplayTest, LaboratoryAndServiceStartEachJobAtOneTimeOnTheSameNodes) {
  const std::vector<Job> jobs = QueueOfTheExample();
  ASSERT_GT(jobs.size(), 100u);
  for (const char* words :
       {"bf_window=100,bf_resolution=60", "bf_window=1440,bf_interval=30", "bf_max_job_test=5",
        "bf_max_job_user=2", "bf_max_job_assoc=2", "bf_max_job_part=3",
        "bf_max_job_test=25,bf_max_job_user=9,bf_max_job_part=20,bf_max_job_assoc=8,bf_window="
        "100"}) {
    const std::string conf = SlurmConf(words);
    const Starts played = Laboratory(conf, jobs);
    EXPECT_GT(played.size(), 90u);
    EXPECT_EQ(Frontend(conf, jobs).Run(), played) << words;
  }
}

}  // namespace
}  // namespace priorityd::rpc
