// Leases of jobs of the tracked queue, through the whole service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/lease.pb.h"
#include "priority/v1/simulation.pb.h"
#include "server/queue/replication/tracked_queues.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

v1::UpdateJobsRequest NiceUntil(const std::string& job_id, int nice, const std::string& until,
                                const std::string& from = "") {
  v1::UpdateJobsRequest request;
  v1::Job* job = request.add_upserts();
  job->set_job_id(job_id);
  job->set_nice(nice);
  request.mutable_update_mask()->add_paths("nice");
  request.set_from(from);
  request.set_until(until);
  return request;
}

// The clock is manual: it begins at TestEpoch, 2026-01-05 in UTC. Without weights the priority of a
// job is its negated nice value, but at least 1.
class LeaseJobsTest : public AdministeredSite {
 protected:
  LeaseJobsTest() { Begin(""); }

  void Begin(const std::string& policy) {
    Apply(absl::StrCat("TimeZone=UTC\n", policy));
    RecalculateAt(TestEpoch());
    v1::Job job = JobOf("1");
    job.set_nice(-50);
    UpdateJobs(service_, Upserts({job, JobOf("2", "ben")}));
  }

  v1::UpdateJobsResponse Lease(int nice, const std::string& until, const std::string& from = "") {
    const v1::UpdateJobsResponse response = UpdateJobs(service_, NiceUntil("1", nice, until, from));
    EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
    EXPECT_EQ(response.leases_size(), 1);
    return response;
  }

  std::string Refusal(const v1::UpdateJobsRequest& request) {
    grpc::Status status;
    UpdateJobs(service_, request, &status);
    EXPECT_FALSE(status.ok());
    return status.error_message();
  }

  v1::TrackedJob Listed() {
    v1::ListJobsRequest request;
    request.add_job_ids("1");
    request.set_with_ranking(true);
    return ListJobs(service_, request).jobs(0);
  }

  v1::ExplainPriorityResponse Explained() {
    v1::ExplainPriorityRequest request;
    request.set_job_id("1");
    request.mutable_tracked();
    return ExplainPriority(service_, request);
  }

  v1::SimulatedRow Simulated(double later) {
    v1::SimulateRequest request;
    request.mutable_tracked();
    *request.mutable_later() = ToTimestamp(Hour(later));
    const auto response = [&] {
      v1::SimulateResponse simulated;
      EXPECT_TRUE(CallUnary(service_, request, &simulated).ok());
      return simulated;
    }();
    for (const v1::SimulatedRow& row : response.rows()) {
      if (row.job_id() == "1") return row;
    }
    ADD_FAILURE() << "job 1 is not in the answer";
    return {};
  }

  static uint32_t RankedPriority(TestService& service) {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    const v1::RankJobsResponse response = RankJobs(service, request);
    EXPECT_EQ(response.ranked(0).job_id(), "1");
    return response.ranked(0).priority();
  }

  // The priority of job 1 after a recalculation, on which all answers agree.
  uint32_t PriorityAt(double hour) {
    RecalculateAt(Hour(hour));
    EXPECT_TRUE(service_.queues().ReadChanges().ok());
    const uint32_t priority = RankedPriority(service_);
    EXPECT_EQ(Listed().priority(), priority);
    EXPECT_EQ(Listed().job().nice(), -50) << "the job keeps its own";
    EXPECT_EQ(Explained().priority(), priority);
    EXPECT_EQ(Simulated(hour).before().priority(), priority);
    EXPECT_EQ(Simulated(hour).after().priority(), priority);
    return priority;
  }

  v1::ListLeasesResponse Leases(bool past = false) {
    v1::ListLeasesRequest request;
    for (int state = v1::LEASE_STATE_PENDING; past && state <= v1::LEASE_STATE_CANCELLED; ++state) {
      request.add_states(static_cast<v1::LeaseState>(state));
    }
    return Called<v1::ListLeasesResponse>(request, nullptr);
  }

  // `action object: before -> after`, newest first.
  std::vector<std::string> Events() {
    v1::ListAuditEventsRequest request;
    for (const char* action : {"UpdateJobs", "LeaseBegin", "LeaseEnd"}) request.add_actions(action);
    const auto list = Called<v1::ListAuditEventsResponse>(request, nullptr);
    std::vector<std::string> events;
    for (const v1::AuditEvent& event : list.events()) {
      events.push_back(absl::StrCat(event.action(), " ", event.object(), ": ", event.before(),
                                    " -> ", event.after()));
    }
    return events;
  }
};

TEST_F(LeaseJobsTest, ANiceValueHoldsExactlyFromItsBeginUpToItsEnd) {
  const v1::UpdateJobsResponse response = Lease(-100, "2026-01-05T05:00:00", "2026-01-05T02:00:00");
  EXPECT_EQ(response.leases(0).after(),
            "Begin=2026-01-05T02:00:00 End=2026-01-05T05:00:00 Nice=-100");
  ASSERT_EQ(Leases().leases_size(), 1);
  EXPECT_EQ(Leases().leases(0).object(), "job 1");
  EXPECT_EQ(Leases().leases(0).kind(), "job");
  EXPECT_EQ(PriorityAt(1.99), 50u);
  EXPECT_EQ(PriorityAt(2), 100u);
  EXPECT_EQ(PriorityAt(4.99), 100u);
  EXPECT_EQ(PriorityAt(5), 50u);
  EXPECT_THAT(Events(), ElementsAre("LeaseEnd job 1: Nice=-100 -> Nice=-50",
                                    "LeaseBegin job 1: Nice=-50 -> Nice=-100",
                                    absl::StrCat("UpdateJobs ", response.leases(0).object(),
                                                 ":  -> ", response.leases(0).after())));
}

TEST_F(LeaseJobsTest, ExplanationsAndListsHaveWhatItIsAndWillBe) {
  Lease(-100, "2026-01-05T05:00:00");
  EXPECT_EQ(PriorityAt(1), 100u);
  EXPECT_THAT(Explained().sentences(),
              Contains(HasSubstr("Its nice value is -100 until 2026-01-05T05:00:00, then -50 "
                                 "(lease ")));
  ASSERT_EQ(Listed().leased_size(), 1);
  EXPECT_EQ(Listed().leased(0).name(), "Nice");
  EXPECT_EQ(Listed().leased(0).value(), "-100");
  EXPECT_EQ(Listed().leased(0).then(), "-50");
  EXPECT_EQ(Listed().leased(0).until().seconds(), absl::ToUnixSeconds(Hour(5)));
  EXPECT_EQ(Simulated(4.5).after().priority(), 100u);
  EXPECT_EQ(Simulated(5).after().priority(), 50u);
  EXPECT_EQ(PriorityAt(5), 50u);
  EXPECT_EQ(Listed().leased_size(), 0);
}

TEST_F(LeaseJobsTest, TheLeaseThatBeganLastDecides) {
  Lease(-100, "now+9hours");
  Lease(-200, "now+4hours", "now+3hours");
  EXPECT_EQ(PriorityAt(2), 100u);
  EXPECT_EQ(PriorityAt(3), 200u);
  EXPECT_EQ(PriorityAt(4), 100u);
  EXPECT_EQ(PriorityAt(9), 50u);
}

TEST_F(LeaseJobsTest, AChangeUnderALeaseWarnsAndHoldsAfterIt) {
  Lease(-100, "2026-01-05T04:00:00");
  EXPECT_EQ(PriorityAt(1), 100u);
  v1::UpdateJobsRequest change = NiceUntil("1", -70, "");
  EXPECT_THAT(UpdateJobs(service_, change).upserts(0).message(),
              HasSubstr("is -100 until 2026-01-05T04:00:00, then -70 (lease "));
  EXPECT_EQ(RankedPriority(service_), 100u);
  RecalculateAt(Hour(4));
  EXPECT_EQ(RankedPriority(service_), 70u);
}

TEST_F(LeaseJobsTest, AnotherReplicaRanksTheSame) {
  Lease(-100, "now+4hours");
  EXPECT_EQ(PriorityAt(1), 100u);
  TestService other({.database_url = service_.database_url(), .limits = {}});
  other.SetNow(service_.now());
  EXPECT_EQ(RankedPriority(other), 100u);
}

TEST_F(LeaseJobsTest, ALeaseEndsWithItsJob) {
  Lease(-100, "now+9hours");
  Lease(-200, "now+9hours", "now+8hours");
  EXPECT_EQ(PriorityAt(1), 100u);
  UpdateJobs(service_, Removal("1"));
  RecalculateAt(Hour(2));
  RecalculateAt(Hour(3));
  EXPECT_THAT(Leases().leases(), IsEmpty());
  ASSERT_EQ(Leases(/*past=*/true).leases_size(), 2);
  EXPECT_EQ(Leases(true).leases(1).ended_by(), "priorityd");
  v1::Job job = JobOf("1");
  job.set_nice(-50);
  UpdateJobs(service_, Upserts({job}));
  EXPECT_EQ(PriorityAt(4), 50u) << "a later job of the same id has no lease";
  EXPECT_EQ(PriorityAt(8), 50u);
}

TEST_F(LeaseJobsTest, UnderIncrOnlyALeaseLeavesNothingBehind) {
  Begin("PriorityFlags=INCR_ONLY\n");
  Lease(-100, "now+3hours", "now+2hours");
  EXPECT_EQ(PriorityAt(1), 50u);
  EXPECT_EQ(PriorityAt(2), 100u);
  EXPECT_EQ(PriorityAt(3), 50u);
}

TEST_F(LeaseJobsTest, TopJobsMovesNoJobWithALease) {
  Lease(-100, "now+3hours");
  RecalculateAt(Hour(1));
  v1::TopJobsRequest request;
  request.add_job_ids("1");
  v1::TopJobsResponse response;
  ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  ASSERT_EQ(response.results_size(), 1);
  EXPECT_THAT(response.results(0).message(), HasSubstr("with a lease of its nice value"));
}

TEST_F(LeaseJobsTest, WrongInputsNameTheirFields) {
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "yesterday")),
              AllOf(HasSubstr("until: got \"yesterday\", want "), HasSubstr("or now+2hours")));
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "2026-01-04")),
              HasSubstr("until: got 2026-01-04T00:00:00"));
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "now+1hour", "now+2hours")), HasSubstr("from: got "));
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "", "now+2hours")), HasSubstr("from: got a begin without"));
  v1::UpdateJobsRequest request = NiceUntil("1", 5, "now+1hour");
  request.mutable_update_mask()->add_paths("qos");
  EXPECT_THAT(Refusal(request), HasSubstr("update_mask: got other fields with until"));
  request = NiceUntil("1", 5, "now+1hour");
  request.add_removals("2");
  EXPECT_THAT(Refusal(request), HasSubstr("removals: got some with until"));
  const v1::UpdateJobsResponse none = UpdateJobs(service_, NiceUntil("3", 5, "now+1hour"));
  EXPECT_EQ(none.upserts(0).outcome(), v1::UPDATE_OUTCOME_NOT_FOUND);
  EXPECT_THAT(none.leases(), IsEmpty());
  EXPECT_THAT(Leases().leases(), IsEmpty());
}

TEST_F(LeaseJobsTest, NoneIsMadeBesideAReplicaThatKnowsNone) {
  Execute(
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "known_migration, seen_at) "
      "VALUES ('old', '10.0.0.9:7411', '0.3.0', now(), false, 0, 50, clock_timestamp())");
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "now+1hour")),
              HasSubstr("until: got it of a job beside the replica \"10.0.0.9:7411\""));
  Execute("UPDATE priorityd.replica SET known_migration = 51 WHERE name = 'old'");
  Lease(5, "now+1hour");
}

TEST_F(LeaseJobsTest, FilesOfASiteHaveNoLeasesOfJobsAndEndNone) {
  Lease(-100, "now+4hours");
  Modify(Where({"a"}, {""}), {"Fairshare=7", "until=now+4hours"});
  v1::ImportRequest request;
  const v1::ExportResponse exported = ExportAll();
  for (const v1::File& file : exported.files()) {
    if (file.kind() == v1::FILE_KIND_PRIORITYD) *request.add_files() = file;
  }
  ASSERT_EQ(request.files_size(), 1);
  EXPECT_THAT(request.files(0).content(), HasSubstr("Lease - 'association'"));
  EXPECT_THAT(request.files(0).content(), Not(HasSubstr("'job'")));
  request.set_cluster("c");
  request.set_clean(true);
  Import(service_, request);
  EXPECT_EQ(Leases().leases_size(), 2);
}

TEST_F(LeaseJobsTest, AJobHasAtMostTenLeases) {
  for (int i = 0; i < 10; ++i) Lease(i, "now+1hour");
  EXPECT_THAT(Refusal(NiceUntil("1", 5, "now+1hour")),
              HasSubstr("until: got 11 leases that have not ended, want at most 10 of job 1"));
}

// amy and ben are in account a; ope is an operator.
TEST(LeaseJobsRightsTest, UsersLeaseWhatTheyMaySetAndEndWhatTheyMade) {
  PrivateSite site("all");
  const auto lease = [&](const std::string& who, const std::string& job, int nice) {
    const auto response = site.Call<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs",
                                                            NiceUntil(job, nice, "now+1day"));
    const v1::JobUpdateResult& result = response.upserts(0);
    EXPECT_EQ(response.leases_size(), result.outcome() == v1::UPDATE_OUTCOME_UPSERTED ? 1 : 0);
    if (result.reason() == "AccessDenied") return "AccessDenied/" + result.field();
    return v1::UpdateOutcome_Name(result.outcome());
  };
  EXPECT_EQ(lease("amy", "job-amy", 10), "UPDATE_OUTCOME_UPSERTED");
  EXPECT_EQ(lease("amy", "job-amy", -10), "AccessDenied/nice");
  EXPECT_EQ(lease("amy", "job-ben", 10), "UPDATE_OUTCOME_NOT_FOUND");
  // What an operator has set is not the user's to keep.
  v1::UpdateJobsRequest stored = NiceUntil("job-amy", -20, "");
  stored.clear_until();
  site.Call<v1::UpdateJobsResponse>("ope", "PriorityService/UpdateJobs", stored);
  EXPECT_EQ(lease("amy", "job-amy", -20), "AccessDenied/nice");
  EXPECT_EQ(lease("ope", "job-amy", -10), "UPDATE_OUTCOME_UPSERTED");
  ASSERT_EQ(site.LeasesOf("ope").leases_size(), 2);
  ASSERT_EQ(site.LeasesOf("amy").leases_size(), 1);
  EXPECT_EQ(site.LeasesOf("ben").leases_size(), 0);
  EXPECT_EQ(site.EndLease("amy", site.LeasesOf("ope").leases(0).id()).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_EQ(site.EndLease("ben", site.LeasesOf("amy").leases(0).id()).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_EQ(site.EndLease("amy", site.LeasesOf("amy").leases(0).id()).error_code(), grpc::OK);
  EXPECT_EQ(site.LeasesOf("ope").leases_size(), 1);
  // Two of ten are kept for operators.
  const auto refusal = [&](const std::string& who, int nice) {
    return site
        .StatusOf<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs",
                                          NiceUntil("job-amy", nice, "now+1day"))
        .error_message();
  };
  for (int i = 0; i < 7; ++i) EXPECT_EQ(lease("amy", "job-amy", 10), "UPDATE_OUTCOME_UPSERTED");
  EXPECT_THAT(refusal("amy", 10), HasSubstr("got 9 leases that have not ended, want at most 8"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(lease("ope", "job-amy", -10), "UPDATE_OUTCOME_UPSERTED");
  EXPECT_THAT(refusal("ope", -10), HasSubstr("got 11 leases that have not ended, want at most 10"));
}

}  // namespace
}  // namespace priorityd::rpc
