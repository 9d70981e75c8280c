// prioctl scontrol on reservations: what it asks for, and what it prints beside what a real Slurm
// 22.05 printed for the same reservations.
#include "client/prioctl/jobs/reservation_verbs.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/prioctl/jobs/reservation_sheet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of a real `scontrol show reservation`.
constexpr char kCaptured[] =
    "ReservationName=r2 StartTime=2026-12-01T08:00:00 EndTime=2026-12-02T08:00:00 "
    "Duration=1-00:00:00\n"
    "   Nodes=n3 NodeCnt=1 CoreCnt=2 Features=(null) PartitionName=(null) Flags=FLEX,SPEC_NODES\n"
    "   TRES=cpu=2\n"
    "   Users=(null) Groups=(null) Accounts=chem Licenses=(null) State=INACTIVE "
    "BurstBuffer=(null) Watts=n/a\n"
    "   MaxStartDelay=(null)\n\n";

std::string InUtc(const std::string& local) {
  absl::Time time;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%dT%H:%M:%S", local, absl::LocalTimeZone(), &time, nullptr));
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

v1::Reservation Captured() {
  v1::Reservation reservation;
  reservation.set_name("r2");
  for (const auto& [word, value] :
       std::vector<std::pair<std::string, std::string>>{{"StartTime", InUtc("2026-12-01T08:00:00")},
                                                        {"EndTime", InUtc("2026-12-02T08:00:00")},
                                                        {"Duration", "1-00:00:00"},
                                                        {"Nodes", "n3"},
                                                        {"NodeCnt", "1"},
                                                        {"Flags", "FLEX,SPEC_NODES"},
                                                        {"Accounts", "chem"},
                                                        {"State", "INACTIVE"}}) {
    (*reservation.mutable_attributes())[word] = value;
  }
  return reservation;
}

// What priorityd cannot know of it.
std::string WithoutTres(std::string sheet) {
  return absl::StrReplaceAll(sheet,
                             {{"CoreCnt=2", "CoreCnt=(null)"}, {"TRES=cpu=2", "TRES=(null)"}});
}

class ReservationVerbsTest : public PrioctlTest {
 protected:
  ReservationVerbsTest() {
    fake_.list_reservations.Answer([](const v1::ListReservationsRequest& asked, auto* answer) {
      if (asked.names().empty() || absl::c_linear_search(asked.names(), "r2")) {
        *answer->add_reservations() = Captured();
      }
      answer->set_etag("as-it-was");
      return grpc::Status::OK;
    });
    const auto done = [](const auto&, v1::ChangeResponse*) { return grpc::Status::OK; };
    fake_.update_reservations.Answer(done);
    fake_.delete_reservations.Answer(done);
  }

  Finished Scontrol(std::vector<std::string> words) {
    words.insert(words.begin(), "scontrol");
    return Run(words);
  }
  v1::UpdateReservationsRequest Asked() {
    const auto requests = fake_.update_reservations.requests();
    return requests.empty() ? v1::UpdateReservationsRequest() : requests.back();
  }
  // `ADD Flags=MAINT` for each setting.
  std::vector<std::string> Settings() {
    std::vector<std::string> texts;
    const v1::UpdateReservationsRequest request = Asked();
    for (const v1::Setting& setting : request.settings()) {
      texts.push_back(absl::StrCat(v1::SettingOperator_Name(setting.operator_()).substr(17), " ",
                                   setting.name(), "=", setting.value()));
    }
    return texts;
  }
};

TEST_F(ReservationVerbsTest, ShowPrintsWhatSlurmPrints) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"show", "reservation"}, {"show", "res", "r2"}, {"show", "ReservationName=r2"}}) {
    EXPECT_EQ(Scontrol(words).out, WithoutTres(kCaptured)) << absl::StrJoin(words, " ");
  }
  EXPECT_EQ(Scontrol({"-o", "show", "res"}).out,
            absl::StrReplaceAll(WithoutTres(kCaptured), {{"\n   ", " "}, {"\n\n", "\n"}}));
  const Finished missing = Scontrol({"show", "res", "nope"});
  EXPECT_EQ(missing.out, "Reservation nope not found\n");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(Scontrol({"--json", "show", "res"}).out, HasSubstr("\"NodeCnt\""));
}

TEST_F(ReservationVerbsTest, WithoutAnySaysSo) {
  fake_.list_reservations.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Scontrol({"show", "reservations"}).out, "No reservations in the system\n");
}

TEST_F(ReservationVerbsTest, CreateSendsTheSettingsWithTimesThatAnyServerUnderstands) {
  const Finished run =
      Scontrol({"create", "reservation", "ReservationName=maint", "StartTime=2026-12-01T08:00:00",
                "Duration=120", "Nodes=n[1-2]", "Users=root,ann", "Flags=maint,ignore_jobs"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "Reservation created: maint\n");
  EXPECT_THAT(Asked().names(), ElementsAre("maint"));
  EXPECT_TRUE(Asked().allow_missing());
  EXPECT_EQ(Asked().options().etag(), "as-it-was");
  EXPECT_THAT(Settings(),
              ElementsAre("UNSPECIFIED StartTime=" + InUtc("2026-12-01T08:00:00"),
                          "UNSPECIFIED Duration=120", "UNSPECIFIED Nodes=n[1-2]",
                          "UNSPECIFIED Users=root,ann", "UNSPECIFIED Flags=maint,ignore_jobs"));
  EXPECT_EQ(Scontrol({"create", "ReservationName=x", "Start=now+1hour"}).exit_code, 0);
  EXPECT_THAT(Settings()[0], HasSubstr("UNSPECIFIED Start=20"));
}

// In a real Slurm's words.
TEST_F(ReservationVerbsTest, ANameIsCreatedOnce) {
  fake_.list_reservations.Answer([](const auto&, auto* answer) {
    *answer->add_reservations() = Captured();
    (*answer->mutable_reservations(0)->mutable_attributes())["EndTime"] = "2999-01-01T00:00:00Z";
    return grpc::Status::OK;
  });
  const Finished run = Scontrol({"create", "reservation", "ReservationName=r2", "Nodes=n1"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("Duplicate reservation name"));
  EXPECT_TRUE(fake_.update_reservations.requests().empty());
}

TEST_F(ReservationVerbsTest, UpdateAndDeleteAskForIt) {
  EXPECT_EQ(Scontrol({"update", "ReservationName=r2", "Flags+=MAINT"}).out,
            "Reservation updated.\n");
  EXPECT_THAT(Settings(), ElementsAre("ADD Flags=MAINT"));
  EXPECT_EQ(Scontrol({"update", "reservation=r2", "PartitionName=main"}).out,
            "Reservation updated.\n");
  EXPECT_THAT(Settings(), ElementsAre("UNSPECIFIED PartitionName=main"));
  EXPECT_EQ(Scontrol({"delete", "reservation=r2"}).exit_code, 0);
  EXPECT_EQ(Scontrol({"delete", "ReservationName=r3"}).out, "");
  const auto deleted = fake_.delete_reservations.requests();
  ASSERT_EQ(deleted.size(), 2u);
  EXPECT_THAT(deleted[0].names(), ElementsAre("r2"));
  EXPECT_THAT(deleted[1].names(), ElementsAre("r3"));
}

TEST_F(ReservationVerbsTest, AReservationBesideAJobIsTheJobs) {
  Scontrol({"update", "JobId=7", "ReservationName=r2"});
  EXPECT_TRUE(fake_.update_reservations.requests().empty());
}

TEST_F(ReservationVerbsTest, BadLinesAreRefusedBeforeAnythingIsAsked) {
  const auto fails = [&](const std::vector<std::string>& words) {
    const Finished run = Scontrol(words);
    EXPECT_NE(run.exit_code, 0) << absl::StrJoin(words, " ");
    return run.err;
  };
  EXPECT_THAT(fails({"create", "reservation"}), HasSubstr("want ReservationName=NAME"));
  EXPECT_THAT(fails({"create", "ReservationName=a", "StartTime=soon"}),
              HasSubstr("StartTime: got \"soon\", want a time such as"));
  EXPECT_THAT(fails({"update", "ReservationName=a"}), HasSubstr("No changes specified"));
  EXPECT_THAT(fails({"delete", "ReservationName=a", "Nodes=n1"}), HasSubstr("got \"Nodes\""));
  EXPECT_THAT(fails({"--on-behalf-of", "ann", "delete", "ReservationName=a"}),
              HasSubstr("--on-behalf-of: got \"ann\", want none"));
  EXPECT_TRUE(fake_.list_reservations.requests().empty());
  EXPECT_TRUE(fake_.update_reservations.requests().empty());
  EXPECT_TRUE(fake_.delete_reservations.requests().empty());
}

TEST_F(ReservationVerbsTest, ARefusalIsInScontrolsWords) {
  fake_.update_reservations.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::INVALID_ARGUMENT,
                        "settings: Nodes: Invalid node name specified: got \"n9\"");
  });
  EXPECT_EQ(Scontrol({"update", "ReservationName=r2", "Nodes=n9"}).err,
            "prioctl: Nodes: Invalid node name specified: got \"n9\"\n");
}

}  // namespace
}  // namespace priorityd
