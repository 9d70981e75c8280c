// UMich's examples through the real server and the real prioctl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSlurmConf[] =
    "ClusterName=bighouse\nPriorityType=priority/multifactor\nPriorityDecayHalfLife=0\n"
    "PriorityUsageResetPeriod=NONE\nTimeZone=America/Detroit\n"
    "AccountingStorageEnforce=limits,safe\n"
    "NodeName=n[1-10] CPUs=10 RealMemory=100000 Gres=gpu:2\n"
    "PartitionName=standard Nodes=ALL Default=YES "
    "TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=2.0\n";
constexpr char kDump[] =
    "Cluster - 'bighouse':Fairshare=1\nParent - 'root'\n"
    "Account - 'hpcstaff':Fairshare=1:GrpTRESMins=billing=100\nParent - 'hpcstaff'\n"
    "User - 'emily':DefaultAccount='hpcstaff':Fairshare=1\n"
    "User - 'scott':DefaultAccount='hpcstaff':Fairshare=1\n"
    "User - 'dan':DefaultAccount='hpcstaff':Fairshare=1\n";

class SreportTest : public testing::Test {
 protected:
  SreportTest() {
    EXPECT_TRUE(priorityd_.AwaitListening());
    Prioctl({"import", "slurm-conf", WriteFile("slurm.conf", kSlurmConf)});
    Prioctl({"import", "sacctmgr", WriteFile("dump", kDump)});
  }

  std::string Prioctl(std::vector<std::string> arguments, const std::string& in = "",
                      const std::string& name = "prioctl") {
    arguments.insert(arguments.begin(), {"--server", priorityd_.address()});
    const Finished finished = RunPrioctl(arguments, in, name);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return finished.out;
  }

  // Ten minutes from 2026-01-01 06:00 in Detroit on.
  void Record(const std::string& user, const std::string& tres) {
    Prioctl({"record", "-"},
            absl::StrCat("{\"source\": \"s\", \"recordId\": \"", user, "\", \"user\": \"", user,
                         "\", \"startTime\": \"2026-01-01T11:00:00Z\", \"endTime\": "
                         "\"2026-01-01T11:10:00Z\", \"tres\": {",
                         tres, "}}\n"));
  }

  RealPriorityd priorityd_{
      {"--listen=127.0.0.1:0", "--data_dir=" + storage::NewTestDirectory() + "/data"}};
};

TEST_F(SreportTest, UmichsTresMinutesOfTheTenMinuteJob) {
  Record("emily", "\"cpu\": 1, \"mem\": 8192, \"gres/gpu\": 1");
  EXPECT_EQ(Prioctl({"-nP", "-T", "cpu,mem,gres/gpu,billing", "cluster", "UserUtilizationByAccount",
                     "Start=2026-01-01", "End=2026-12-31"},
                    "", "sreport"),
            "bighouse|emily||hpcstaff|cpu|10\n"
            "bighouse|emily||hpcstaff|mem|81920\n"
            "bighouse|emily||hpcstaff|gres/gpu|10\n"
            "bighouse|emily||hpcstaff|billing|50\n");
  // The guide's own command.
  EXPECT_THAT(Prioctl({"sreport", "-T", "billing", "cluster", "AccountUtilizationByUser",
                       "Start=2026-01-01", "End=2026-12-31", "-P"}),
              EndsWith("Cluster|Account|Login|Proper Name|TRES Name|Used\n"
                       "bighouse|root|||billing|50\n"
                       "bighouse|hpcstaff|||billing|50\n"
                       "bighouse|hpcstaff|emily||billing|50\n"));
  // Half of the job lies before 06:05.
  EXPECT_EQ(Prioctl({"sreport", "-nP", "user", "top", "Start=2026-01-01T06:05", "End=2026-01-02"}),
            "bighouse|emily||hpcstaff|5|0\n");
  EXPECT_THAT(Prioctl({"sreport", "--json", "--buckets", "day", "user", "top", "Start=2026-01-01",
                       "End=2026-02-01"}),
              HasSubstr("2026-01-01T05:00:00Z"));
}

TEST_F(SreportTest, WhatACorrectionReplacesIsInNoReport) {
  Record("emily", "\"cpu\": 500");
  const std::string correction =
      R"({"source": "s", "recordId": "right", "replacesRecordId": "emily", "user": "emily",
          "startTime": "2026-01-01T11:00:00Z", "endTime": "2026-01-01T11:10:00Z", "tres": {"cpu": 5}})";
  Prioctl({"record", "-"}, absl::StrReplaceAll(correction, {{"\n", " "}}) + "\n");
  for (const char* report : {"UserUtilizationByAccount", "AccountUtilizationByUser"}) {
    const std::string rows = Prioctl({"sreport", "-nP", "cluster", report, "Start=2026-01-01",
                                      "End=2026-01-02", "Format=Login,Used"});
    EXPECT_THAT(rows, EndsWith("emily|50\n")) << report;
    EXPECT_THAT(rows, Not(HasSubstr("5000"))) << report;
  }
}

TEST_F(SreportTest, UmichsBudgetOfHpcstaffHasNoRoomForDan) {
  Record("emily", "\"cpu\": 5");
  Record("scott", "\"cpu\": 3");
  Prioctl({"recalculate"});
  const std::string answer =
      Prioctl({"rank", "--json", "-"},
              "{\"jobId\": \"1\", \"user\": \"dan\", \"cpus\": 5, \"timeLimit\": \"300s\"}\n"
              "{\"jobId\": \"2\", \"user\": \"dan\", \"cpus\": 5, \"timeLimit\": \"240s\"}\n");
  EXPECT_THAT(answer, HasSubstr("AssocGrpBillingMinutes"));
  EXPECT_THAT(answer, HasSubstr("account hpcstaff: GrpTRESMins billing=100: 80 used + 25 for this "
                                "job = 105"));
}

TEST_F(SreportTest, AWrongReportIsOneLine) {
  const Finished finished =
      RunPrioctl({"--server", priorityd_.address(), "job", "weights"}, "", "sreport");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("sreport: "));
  EXPECT_THAT(finished.err, HasSubstr("want cluster AccountUtilizationByUser"));
}

}  // namespace
}  // namespace priorityd
