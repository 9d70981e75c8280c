// Sites of a real Slurm move in by prioctl with their queues: RankJobs, ExplainPriority and squeue
// give the reasons of waiting jobs in Slurm's words.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/oracle/limit_exceptions.h"
#include "tests/oracle/limit_scenario.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

template <typename Message>
std::string JsonLine(const Message& message) {
  std::string line;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &line).ok());
  return absl::StrCat(line, "\n");
}

// A cluster for one scenario, on a clock that stands still at its time.
class CapturedSite {
 public:
  explicit CapturedSite(const LimitScenario& scenario)
      : scenario_(scenario), stub_(v1::PriorityService::NewStub(SharedPriorityd().Connect())) {
    Prioctl({"import", "slurm-conf",
             WriteFile("slurm.conf", absl::StrCat(Named(scenario.slurm_conf), "Clock=manual\n"))});
    Prioctl({"import", "qos", WriteFile("qos", scenario.qos)});
    Prioctl({"import", "sacctmgr", WriteFile("dump", Named(scenario.dump))});
    Recalculate();
    std::string used;
    for (const v1::UsageRecord& record : scenario.used) used += JsonLine(record);
    if (!used.empty()) {
      Prioctl({"record", WriteFile("used", used)});
      Recalculate();
    }
    std::string jobs;
    for (const LimitScenario::Job& job : scenario.jobs) jobs += JsonLine(job.job);
    Prioctl({"queue", "sync", WriteFile("jobs", jobs)});
  }

  struct Told {
    std::string reason;
    std::string text;
  };
  // By job id.
  using ByJob = std::map<std::string, Told>;

  ByJob Ranked() {
    v1::RankJobsRequest request;
    request.set_cluster(scenario_.name);
    request.mutable_tracked();
    v1::RankJobsResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->RankJobs(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    ByJob told;
    for (const v1::IneligibleJob& job : response.ineligible()) {
      told[job.job_id()] = {job.reason(), job.message()};
    }
    return told;
  }

  Told Explained(const std::string& job_id) {
    v1::ExplainPriorityRequest request;
    request.set_cluster(scenario_.name);
    request.mutable_tracked();
    request.set_job_id(job_id);
    v1::ExplainPriorityResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->ExplainPriority(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.ineligible_reason(), response.ineligible_message()};
  }

  // squeue's column REASON.
  std::map<std::string, std::string> Squeue() {
    std::map<std::string, std::string> reasons;
    const std::string out = Prioctl({"squeue", "-h", "-t", "PD", "-o", "%i|%r"});
    for (const absl::string_view line : absl::StrSplit(out, '\n', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> cells =
          absl::StrSplit(line, absl::MaxSplits('|', 1));
      reasons[cells.first] = cells.second;
    }
    return reasons;
  }

 private:
  // The site's own file, for a cluster of the scenario's name.
  std::string Named(const std::string& text) const {
    return absl::StrReplaceAll(
        text, {{"ClusterName=orc", absl::StrCat("ClusterName=", scenario_.name)},
               {"Cluster - 'orc'", absl::StrCat("Cluster - '", scenario_.name, "'")}});
  }

  void Recalculate() {
    Prioctl({"recalculate", "--as-of",
             absl::FormatTime(absl::RFC3339_full, scenario_.taken, absl::UTCTimeZone())});
  }

  std::string Prioctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"--server", SharedPriorityd().address(), "--cluster", scenario_.name});
    const Finished run = RunPrioctl(arguments);
    EXPECT_EQ(run.exit_code, 0) << scenario_.name << ": " << run.err << run.out;
    return run.out;
  }

  const LimitScenario& scenario_;
  const std::unique_ptr<v1::PriorityService::Stub> stub_;
};

TEST(LimitOracle, EveryCommandPrintsSlurmsReasonOfAWaitingJob) {
  Agreement ranked;
  Agreement explained;
  int shown = 0;
  for (const LimitScenario& scenario : ReadLimitScenarios()) {
    CapturedSite site(scenario);
    CapturedSite::ByJob by_rank = site.Ranked();
    auto squeue = site.Squeue();
    for (const LimitScenario::Job& job : scenario.jobs) {
      if (job.words.empty()) continue;
      const std::string& id = job.job.job_id();
      const CapturedSite::Told rank = by_rank[id];
      EXPECT_TRUE(LookAtReason(scenario, job, rank.reason, rank.text, &ranked))
          << scenario.name << " " << id << ": RankJobs: got " << rank.reason << " (" << rank.text
          << "), want " << job.words;
      const CapturedSite::Told explain = site.Explained(id);
      EXPECT_TRUE(LookAtReason(scenario, job, explain.reason, explain.text, &explained))
          << scenario.name << " " << id << ": ExplainPriority: got " << explain.reason << " ("
          << explain.text << "), want " << job.words;
      if (rank.reason.empty()) continue;
      // An array's line has its tasks in brackets, and a part of it alone.
      if (!squeue.contains(id)) continue;
      EXPECT_EQ(squeue[id], rank.reason) << scenario.name << " " << id;
      ++shown;
    }
  }
  std::printf("RankJobs: %sExplainPriority: %ssqueue: %d reasons\n", ranked.ToString().c_str(),
              explained.ToString().c_str(), shown);
}

}  // namespace
}  // namespace priorityd
