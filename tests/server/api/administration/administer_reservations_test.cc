// Reservations by scontrol's words, over real gRPC and a real PostgreSQL. The faults are in the
// words of a real Slurm 22.05.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/messages/convert_time.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Attributes = std::map<std::string, std::string>;

std::string Iso(absl::Duration later) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", TestEpoch() + later, absl::UTCTimeZone());
}

class AdministerReservationsTest : public ::testing::Test {
 protected:
  AdministerReservationsTest() {
    Import(service_, SmallSite());
    service_.SetNow(TestEpoch());
  }

  // `settings`: NAME=VALUE, NAME+=VALUE.
  v1::ChangeResponse Update(const std::string& name, const std::vector<std::string>& settings,
                            bool create = false) {
    v1::UpdateReservationsRequest request;
    request.add_names(name);
    for (const std::string& text : settings) {
      v1::Setting* setting = request.add_settings();
      const size_t equals = text.find('=');
      const bool adds = text[equals - 1] == '+';
      if (adds) setting->set_operator_(v1::SETTING_OPERATOR_ADD);
      setting->set_name(text.substr(0, equals - (adds ? 1 : 0)));
      setting->set_value(text.substr(equals + 1));
    }
    request.set_allow_missing(create);
    v1::ChangeResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  // On `nodes` for amy, an hour from `later` on, unless `more` says otherwise.
  v1::ChangeResponse Create(const std::string& name, absl::Duration later,
                            std::vector<std::string> more = {}, const char* nodes = "n1") {
    std::vector<std::string> settings = {"StartTime=" + Iso(later), "Duration=60",
                                         absl::StrCat("Nodes=", nodes), "Users=amy"};
    std::erase_if(settings, [&](const std::string& text) {
      const std::string begin = text.substr(0, text.find('=') + 1);
      return std::ranges::any_of(more, [&](const auto& other) { return other.starts_with(begin); });
    });
    settings.insert(settings.end(), more.begin(), more.end());
    return Update(name, settings, true);
  }
  void Delete(const std::string& name) {
    v1::DeleteReservationsRequest request;
    request.add_names(name);
    v1::ChangeResponse response;
    status_ = CallUnary(service_, request, &response);
  }
  std::map<std::string, Attributes> List() {
    v1::ListReservationsResponse response;
    const grpc::Status status = CallUnary(service_, v1::ListReservationsRequest(), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::map<std::string, Attributes> all;
    for (const v1::Reservation& row : response.reservations()) {
      all[row.name()] = {row.attributes().begin(), row.attributes().end()};
    }
    return all;
  }
  v1::JobUpdateResult Submit(const std::string& id, const std::string& user,
                             const std::string& reservation) {
    v1::UpdateJobsRequest request;
    v1::Job& job = *request.add_upserts();
    job.set_job_id(id);
    job.set_user(user);
    job.set_reservation(reservation);
    return UpdateJobs(service_, request).upserts(0);
  }
  std::vector<std::string> Ranked() { return RankedBy(service_); }
  static std::vector<std::string> RankedBy(TestService& service) {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    std::vector<std::string> ids;
    const v1::RankJobsResponse response = RankJobs(service, request);
    for (const v1::RankedJob& row : response.ranked()) ids.push_back(row.job_id());
    return ids;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(AdministerReservationsTest, WhatIsSetIsListedAsSlurmListsIt) {
  const v1::ChangeResponse created =
      Create("maint", absl::Hours(1), {"Nodes=n[1-2]", "Flags=maint,ignore_jobs"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(created.created(), 1);
  EXPECT_EQ(created.changes(0).object(), "reservation maint");
  EXPECT_EQ(List().at("maint"), (Attributes{{"StartTime", Iso(absl::Hours(1))},
                                            {"EndTime", Iso(absl::Hours(2))},
                                            {"Duration", "01:00:00"},
                                            {"Nodes", "n[1-2]"},
                                            {"NodeCnt", "2"},
                                            {"Users", "amy"},
                                            {"Flags", "MAINT,IGNORE_JOBS,SPEC_NODES"},
                                            {"State", "INACTIVE"}}));
}

// As `scontrol update`: a new start leaves the duration, of EndTime and Duration the last one
// counts.
TEST_F(AdministerReservationsTest, AnUpdateLeavesTheRest) {
  Create("r", absl::Hours(1));
  const v1::ChangeResponse updated =
      Update("r", {"StartTime=" + Iso(absl::Hours(3)), "Flags+=FLEX", "Accounts=a"});
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(updated.updated(), 1);
  EXPECT_EQ(List().at("r").at("EndTime"), Iso(absl::Hours(4)));
  EXPECT_EQ(List().at("r").at("Flags"), "FLEX,SPEC_NODES");
  Update("r", {"Duration=5", "EndTime=" + Iso(absl::Hours(5))});
  EXPECT_EQ(List().at("r").at("Duration"), "02:00:00");
  EXPECT_EQ(Update("r", {"Nodes=n1"}).unchanged(), 1);
}

TEST_F(AdministerReservationsTest, BadSettingsNameTheirField) {
  const auto fault = [&](const std::vector<std::string>& settings) {
    Create("r", absl::Hours(1), settings);
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return status_.error_message();
  };
  EXPECT_THAT(fault({"NodeCnt=2"}), HasSubstr("settings[4].name: got \"NodeCnt\", want one of"));
  EXPECT_THAT(fault({"Duration=x"}), HasSubstr("settings[3].value: Duration: got \"x\""));
  EXPECT_THAT(fault({"Flags=DAILY"}), HasSubstr("settings[4].value: Flags: got \"DAILY\""));
  EXPECT_THAT(fault({"Nodes=n1,x"}), HasSubstr("Nodes: Invalid node name specified: got \"x\""));
  EXPECT_THAT(fault({"Nodes=ALL", "PartitionName=nowhere"}),
              HasSubstr("PartitionName: Invalid partition name specified: got \"nowhere\""));
  Create("a,b", absl::Hours(1));
  EXPECT_THAT(status_.error_message(), HasSubstr("names[0]: got \"a,b\""));
  Create("r", -absl::Minutes(11));
  EXPECT_THAT(status_.error_message(), HasSubstr("StartTime: Invalid time specified"));
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(AdministerReservationsTest, NewNamesWithoutAnAssociationAreWarnings) {
  const auto warnings = [](const v1::ChangeResponse& response) {
    return std::vector<std::string>(response.warnings().begin(), response.warnings().end());
  };
  const v1::ChangeResponse created =
      Create("r", absl::Hours(1), {"Users=amy,a,nobody", "Accounts=a,root,amy"}, "n1,n1,n[1-2]");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_THAT(warnings(created), ElementsAre("reservation r: user \"a\" has no association",
                                             "reservation r: user \"nobody\" has no association",
                                             "reservation r: account \"amy\" has no association"));
  EXPECT_EQ(List().at("r").at("NodeCnt"), "2");
  EXPECT_THAT(warnings(Update("r", {"Users+=ben", "Duration=30"})), IsEmpty());
  EXPECT_THAT(warnings(Update("r", {"Accounts+=x"})),
              ElementsAre("reservation r: account \"x\" has no association"));
}

TEST_F(AdministerReservationsTest, AMissingOneIsInvalid) {
  Update("nope", {"Users=amy"});
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status_.error_message(), HasSubstr("Requested reservation is invalid"));
  Delete("nope");
  EXPECT_THAT(status_.error_message(), HasSubstr("Requested reservation is invalid"));
}

TEST_F(AdministerReservationsTest, TwoDoNotOverlapUnlessOneSaysSo) {
  Create("r", absl::Hours(1));
  const auto overlaps = [&](absl::Duration later, const std::vector<std::string>& more,
                            const char* nodes = "n1") {
    Create("other", later, more, nodes);
    if (status_.ok()) {
      Delete("other");
      return false;
    }
    EXPECT_THAT(status_.error_message(),
                HasSubstr("Requested reservation overlaps with another reservation"));
    return true;
  };
  EXPECT_TRUE(overlaps(absl::Minutes(119), {}));
  EXPECT_FALSE(overlaps(absl::Minutes(120), {}));
  EXPECT_FALSE(overlaps(absl::Hours(1), {}, "n2"));
  EXPECT_TRUE(overlaps(absl::Hours(1), {}, "ALL"));
  EXPECT_FALSE(overlaps(absl::Hours(1), {"Flags=MAINT"}));
  EXPECT_FALSE(overlaps(absl::Hours(1), {"Flags=OVERLAP"}));
  Update("r", {"Flags=MAINT"});
  EXPECT_FALSE(overlaps(absl::Hours(1), {}));
}

TEST_F(AdministerReservationsTest, NodesOfARunningJobAreBusyUnlessJobsAreIgnored) {
  v1::UpdateJobsRequest request;
  v1::Job& job = *request.add_upserts();
  job.set_job_id("1");
  job.set_user("amy");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_node_list("n[1-3]");
  ToProto(TestEpoch(), job.mutable_start_time());
  ToProto(absl::Hours(2), job.mutable_time_limit());
  UpdateJobs(service_, request);
  Create("r", absl::Hours(1));
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status_.error_message(), HasSubstr("Requested nodes are busy"));
  Create("r", absl::Hours(1), {"Nodes=n4"});
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  Create("late", absl::Hours(2));
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  Create("soon", absl::Hours(1), {"Flags=IGNORE_JOBS"});
  EXPECT_TRUE(status_.ok()) << status_.error_message();
}

TEST_F(AdministerReservationsTest, ItsStartIsFixedOnceItHasBegun) {
  Create("r", absl::Minutes(-5));
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(List().at("r").at("State"), "ACTIVE");
  Update("r", {"StartTime=" + Iso(absl::Hours(1))});
  EXPECT_THAT(status_.error_message(), HasSubstr("Reservation already started"));
  Update("r", {"Duration=90"});
  EXPECT_TRUE(status_.ok()) << status_.error_message();
}

TEST_F(AdministerReservationsTest, AnEndedOneMakesRoomForItsName) {
  Create("r", absl::ZeroDuration());
  service_.SetNow(TestEpoch() + absl::Hours(1));
  EXPECT_EQ(List().count("r"), 1u) << "it is listed until then";
  const v1::ChangeResponse created = Create("r", absl::Hours(2));
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(created.deleted(), 1);
  EXPECT_EQ(created.created(), 1);
  EXPECT_EQ(List().at("r").at("StartTime"), Iso(absl::Hours(2)));
}

// Two days behind the real one, as in a simulation.
TEST_F(AdministerReservationsTest, AManualClockIsThatOfReservationsToo) {
  const auto recalculate = [&](absl::Duration later) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(TestEpoch() + later);
    Recalculate(service_, request);
  };
  Import(service_, SmallSite("Clock=manual\n"));
  recalculate(absl::ZeroDuration());
  service_.SetNow(TestEpoch() + absl::Hours(48));
  Create("r", absl::Hours(1));
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(List().at("r").at("State"), "INACTIVE");
  Create("late", -absl::Hours(1), {}, "n2");
  EXPECT_THAT(status_.error_message(), HasSubstr("one that has passed"));
  recalculate(absl::Hours(1));
  EXPECT_EQ(List().at("r").at("State"), "ACTIVE");
  Create("other", absl::ZeroDuration(), {"StartTime=now"}, "n2");
  EXPECT_EQ(List().at("other").at("StartTime"), Iso(absl::Hours(1)));
}

TEST_F(AdministerReservationsTest, JobsNameOneThatTheyMayUseAndStartInItsTime) {
  EXPECT_EQ(Submit("word", "ben", "anything").outcome(), v1::UPDATE_OUTCOME_UPSERTED)
      << "without reservations the frontend's word counts";
  UpdateJobs(service_, Removal("word"));
  Create("r", absl::Hours(1));
  Recalculate(service_);
  EXPECT_EQ(Submit("1", "amy", "r").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Submit("2", "ben", "").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_THAT(Submit("3", "ben", "r").message(),
              HasSubstr("Access denied to requested reservation"));
  EXPECT_THAT(Submit("3", "amy", "x").message(), HasSubstr("Requested reservation is invalid"));
  EXPECT_THAT(Ranked(), ElementsAre("2"));
  v1::ExplainPriorityRequest explain;
  explain.set_job_id("1");
  explain.mutable_tracked();
  EXPECT_EQ(ExplainPriority(service_, explain).ineligible_reason(), "Reservation");
  service_.SetNow(TestEpoch() + absl::Hours(1));
  EXPECT_THAT(Ranked(), ElementsAre("1", "2"));
  service_.SetNow(TestEpoch() + absl::Hours(2));
  EXPECT_THAT(Ranked(), ElementsAre("2"));
}

TEST_F(AdministerReservationsTest, AJobMayNameANewOneBeforeTheNextRecalculation) {
  Create("r", absl::Hours(1));
  Recalculate(service_);
  Create("new", absl::Hours(3));
  EXPECT_EQ(Submit("1", "amy", "new").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(Submit("2", "ben", "new").outcome(), v1::UPDATE_OUTCOME_REFUSED);
}

TEST_F(AdministerReservationsTest, OneThatAJobNamesIsInUse) {
  Create("r", absl::Hours(1));
  Recalculate(service_);
  Submit("1", "amy", "r");
  Delete("r");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status_.error_message(), HasSubstr("Requested reservation is in use"));
  EXPECT_EQ(List().count("r"), 1u);
  UpdateJobs(service_, Removal("1"));
  Delete("r");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(AdministerReservationsTest, AReplicaThatStartsLaterHasThem) {
  Create("r", absl::Hours(1));
  Recalculate(service_);
  Submit("1", "amy", "r");
  Submit("2", "ben", "");
  TestService other({.database_url = service_.database_url()});
  other.SetNow(TestEpoch());
  EXPECT_THAT(RankedBy(other), ElementsAre("2"));
  other.SetNow(TestEpoch() + absl::Hours(1));
  EXPECT_THAT(RankedBy(other), ElementsAre("1", "2"));
}

}  // namespace
}  // namespace priorityd::rpc
