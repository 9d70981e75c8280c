// scontrol show assoc_mgr beside what a real one printed.
#include "client/prioctl/jobs/association_sheet.h"

#include <regex>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A real line without what is not known here: uids, Lft, the wckey, what jobs hold of limits.
std::string Known(std::string line) {
  const auto replace = [&](const char* what, const char* by) {
    line = std::regex_replace(line, std::regex(what), by);
  };
  replace("(UserName=[a-z]+)\\(\\d+\\)", "$1");
  replace(" Lft=\\d+| DefWckey=\\(null\\)", "");
  replace("((Grp|Max)[A-Za-z]*Jobs[A-Za-z]*=[N0-9]+)\\(\\d+\\)", "$1");
  if (line.find("GrpTRESMins=") == std::string::npos) {
    replace("[a-z/]+=N\\(\\d+\\),?", "");
  } else {
    replace("[a-z/]+=N\\(0\\),?", "");
  }
  replace(",$", "");
  return line;
}

// The site of the capture.
class AssociationSheetTest : public PrioctlTest {
 protected:
  AssociationSheetTest() {
    fake_.list_users.Answer([](const auto&, v1::ListUsersResponse* answer) {
      for (const auto& [name, account] : {std::pair("ann", "a"), std::pair("joy", "fill")}) {
        v1::ClusterUser* user = answer->add_users();
        user->set_name(name);
        user->set_default_account(account);
        user->set_admin_level("None");
      }
      return grpc::Status::OK;
    });
    fake_.list_associations.Answer([](const auto&, v1::ListAssociationsResponse* answer) {
      answer->set_cluster("orc");
      Add(1, "root", "", "", "", answer);
      Add(3, "a", "", "root", "2", answer);
      Add(4, "a", "ann", "a", "2", answer);
      Add(14, "fill", "", "root", "", answer);
      Add(15, "fill", "joy", "fill", "", answer);
      return grpc::Status::OK;
    });
    fake_.list_shares.Answer([](const auto&, v1::ListSharesResponse* answer) {
      Share(3, 1.0 / 6, 6, {}, answer);
      Share(4, 0.5, 2, 1.0, answer);
      Use(Share(14, 1.0 / 6, 6, {}, answer));
      Use(Share(15, 1, 1, 0.111, answer));
      return grpc::Status::OK;
    });
  }

  static void Add(int64_t id, const char* account, const char* user, const char* parent,
                  const std::string& max_jobs_accrue, v1::ListAssociationsResponse* answer) {
    v1::Association* row = answer->add_associations();
    row->set_id(id);
    row->set_account(account);
    row->set_user(user);
    row->set_parent_account(parent);
    if (!max_jobs_accrue.empty()) (*row->mutable_attributes())["MaxJobsAccrue"] = max_jobs_accrue;
  }
  static v1::AssociationShare* Share(int64_t id, double norm, double level,
                                     std::optional<double> factor, v1::ListSharesResponse* answer) {
    v1::AssociationShare* share = answer->add_shares();
    share->set_association_id(id);
    share->set_raw_shares(1);
    share->set_norm_shares(norm);
    share->set_level_shares(level);
    if (factor.has_value()) share->set_fair_share(*factor);
    return share;
  }
  // 64 seconds of four nodes.
  static void Use(v1::AssociationShare* share) {
    share->set_raw_usage(4096);
    share->set_norm_usage(1);
    share->set_effective_usage(1);
    share->mutable_wall_usage()->set_seconds(64);
    auto& tres = *share->mutable_tres_usage();
    tres["cpu"] = tres["billing"] = 4096;
    tres["mem"] = 4096000;
    tres["node"] = 64;
    tres["gres/gpu"] = 256;
  }
};

TEST_F(AssociationSheetTest, EveryLineIsThatOfTheRealOneAsFarAsItIsKnown) {
  const Finished run =
      Run({"scontrol", "show", "assoc_mgr", "flags=users,assoc", "accounts=a,fill"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::string expected;
  for (const std::string& line :
       jobs::CapturedLines("scontrol_show_assoc_mgr_two_accounts.txt",
                           "scontrol show assoc_mgr  # two accounts of it, with a user each")) {
    expected += Known(line) + "\n";
  }
  EXPECT_EQ(run.out, expected);
}

TEST_F(AssociationSheetTest, UsersAndFlagsPickRecords) {
  const Finished run = Run({"scontrol", "show", "assoc", "users=ann", "flags=assoc"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("UserName=ann "));
  EXPECT_THAT(run.out, Not(HasSubstr("User Records")));
  EXPECT_THAT(run.out, Not(HasSubstr("joy")));
  const Finished wrong = Run({"scontrol", "show", "assoc_mgr", "user=ann"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("got \"user=ann\", want accounts="));
}

TEST(QosSheetTest, LimitsStandByTheirNamesInScontrol) {
  v1::Qos qos;
  qos.set_id(2);
  qos.set_name("qcpu");
  (*qos.mutable_attributes())["GrpTRES"] = "cpu=8";
  (*qos.mutable_attributes())["GrpSubmit"] = "5";
  const std::string text = jobs::QosSheet(qos);
  EXPECT_THAT(text,
              HasSubstr("QOS=qcpu(2)\n    GrpJobs=N GrpJobsAccrue=N GrpSubmitJobs=5 GrpWall=N"));
  EXPECT_THAT(text, HasSubstr("\n    GrpTRES=cpu=8\n"));
  EXPECT_THAT(text, HasSubstr("\n    PreemptMode=OFF\n    Priority=0\n"));
}

}  // namespace
}  // namespace priorityd
