// prioctl sinfo, scontrol show node and host lists, run as programs on the captured nodes.
#include "client/prioctl/slurm/show_nodes.h"

#include <cstdlib>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/nodes/captured_nodes.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Captured(const std::string& command) {
  return absl::StrJoin(jobs::CapturedLines("nodes.txt", command), "\n") + "\n";
}

class ShowNodesTest : public PrioctlTest {
 protected:
  ShowNodesTest() {
    fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
      policy->set_text(nodes::CapturedNodesConf());
      v1::PolicyParameter* mode = policy->mutable_parameters()->add_all();
      mode->set_name("PreemptMode");
      mode->set_value("REQUEUE");
      return grpc::Status::OK;
    });
    fake_.list_partitions.Answer([](const auto&, v1::ListPartitionsResponse* answer) {
      *answer = nodes::PartitionsOf(nodes::CapturedNodesConf());
      return grpc::Status::OK;
    });
    fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
      *answer = nodes::CapturedRunningJobs();
      return grpc::Status::OK;
    });
  }
};

TEST_F(ShowNodesTest, SinfoAsksForPartitionsAndRunningJobs) {
  const Finished run = RunPrioctl({"--server", fake_.address()}, "", "sinfo");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, Captured("sinfo"));
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(fake_.list_jobs.requests()[0].states(),
              ElementsAre(v1::JOB_STATE_RUNNING, v1::JOB_STATE_SUSPENDED));
  EXPECT_EQ(Run({"sinfo", "-o", "%P|%D|%t", "-t", "mix,alloc"}).out,
            Captured("sinfo -o \"%P|%D|%t\" -t mix,alloc"));
  EXPECT_EQ(Run({"sinfo", "-t", "nonsense"}).exit_code, 1);
}

TEST_F(ShowNodesTest, SinfoReadsItsVariablesAsTheRealOne) {
  const auto captured = [](const std::string& command) {
    return absl::StrJoin(jobs::CapturedLines("environment.txt", command), "\n") + "\n";
  };
  setenv("SINFO_FORMAT", "%P %D", 1);
  EXPECT_EQ(Run({"sinfo"}).out, captured("SINFO_FORMAT=\"%P %D\" sinfo"));
  EXPECT_EQ(Run({"sinfo", "-o", "%R"}).out, captured("SINFO_FORMAT=\"%P %D\" sinfo -o \"%R\""));
  EXPECT_EQ(Run({"sinfo", "-s", "-p", "gpu"}).out,
            captured("SINFO_FORMAT=\"%P %D\" sinfo -s -p gpu"));
  unsetenv("SINFO_FORMAT");
  setenv("SINFO_PARTITION", "gpu", 1);
  EXPECT_EQ(Run({"sinfo"}).out, captured("SINFO_PARTITION=gpu sinfo"));
  EXPECT_EQ(Run({"sinfo", "-p", "debug"}).out, captured("SINFO_PARTITION=gpu sinfo -p debug"));
  unsetenv("SINFO_PARTITION");
}

TEST_F(ShowNodesTest, JobsThatNameNoNodesAreAWarning) {
  fake_.list_jobs.Answer([](const auto&, v1::ListJobsResponse* answer) {
    *answer->add_jobs() = nodes::RunningJob("1", 3, 1000, "main", "");
    return grpc::Status::OK;
  });
  const Finished run = Run({"sinfo", "-h", "-o", "%t", "-p", "gpu"});
  EXPECT_EQ(run.out, "unk\n");
  EXPECT_THAT(run.err, HasSubstr("sinfo: warning: 1 running job names no nodes"));
}

TEST_F(ShowNodesTest, JobsThatPrivateDataHidesMayBeOnAnyNode) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->set_text(nodes::CapturedNodesConf());
    v1::PolicyParameter* data = policy->mutable_parameters()->add_all();
    data->set_name("PrivateData");
    data->set_value("jobs,usage");
    return grpc::Status::OK;
  });
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* answer) {
    answer->set_running_others(2);
    return grpc::Status::OK;
  });
  const Finished run = Run({"sinfo", "-h", "-o", "%t %N", "-p", "main"});
  EXPECT_EQ(run.out, "drain d2\nalloc n2\ndown d1\nunk n1\n");
  EXPECT_THAT(run.err, HasSubstr("PrivateData hides 2 running jobs"));
}

TEST_F(ShowNodesTest, NodesOfIncludedFilesAreCountedUnlessAFileHasThem) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->set_text("Include nodes.conf\n");
    return grpc::Status::OK;
  });
  Finished run = Run({"sinfo", "-h", "-o", "%D %t %N", "-p", "main"});
  EXPECT_EQ(run.out, "4 unk n/a\n");
  EXPECT_THAT(run.err, HasSubstr("nodes are counted, not named: --nodes FILE names them"));
  const std::string file = WriteFile("nodes_of_sinfo.conf", nodes::CapturedNodesConf());
  run = Run({"sinfo", "--nodes", file});
  EXPECT_EQ(run.out, Captured("sinfo"));
}

TEST_F(ShowNodesTest, ScontrolShowsTheNodesThatItsWordsName) {
  const std::string all = Output({"scontrol", "show", "nodes"});
  EXPECT_THAT(all, HasSubstr("NodeName=d1"));
  EXPECT_THAT(all, HasSubstr("AllocTRES=cpu=8,mem=2000M,gres/gpu=1"));
  const Finished one = Run({"scontrol", "-o", "show", "node=n1"});
  EXPECT_THAT(one.out, ::testing::StartsWith("NodeName=n1 CoresPerSocket=1 CPUAlloc=3 CPUTot=8"));
  EXPECT_THAT(one.out, IsOneLine());
  const Finished none = Run({"scontrol", "show", "node", "nowhere"});
  EXPECT_EQ(none.out, "Node nowhere not found\n");
  EXPECT_EQ(none.exit_code, 1);
}

TEST_F(ShowNodesTest, HostListsNeedNoService) {
  const auto show = [](std::vector<std::string> words, const std::string& in = "") {
    words.insert(words.begin(), {"--server", "127.0.0.1:1", "show"});
    return RunPrioctl(words, in, "scontrol");
  };
  EXPECT_EQ(show({"hostnames", "n[08-10,3],login"}).out,
            Captured("scontrol show hostnames n[08-10,3],login"));
  EXPECT_EQ(show({"hostname", "n[1-2]"}).out, "n1\nn2\n");
  EXPECT_EQ(show({"hostlist", "n10,n2,n1,n2"}).out, "n[10,2,1-2]\n");
  EXPECT_EQ(show({"hostlistsorted", "n10,n2,n1,n2"}).out, "n[1-2,2,10]\n");
  EXPECT_EQ(show({"hostlist", "-"}, "n1\nn2\nn4\n").out, "n[1-2,4]\n");
  EXPECT_EQ(show({"hostlist", WriteFile("hosts", "n1,n2\nn4\n")}).out, "n[1-2,4]\n");
  const Finished none = show({"hostnames"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("host list is empty"));
  setenv("SLURM_JOB_NODELIST", "n[5-6]", 1);
  EXPECT_EQ(show({"hostnames"}).out, "n5\nn6\n");
  unsetenv("SLURM_JOB_NODELIST");
  EXPECT_THAT(fake_.list_jobs.requests(), IsEmpty());
}

TEST_F(ShowNodesTest, OtherWordsAreScontrols) {
  using prioctl::ShowsNodes;
  EXPECT_TRUE(ShowsNodes({"show", "node"}));
  EXPECT_TRUE(ShowsNodes({"sho", "n", "n1"}));
  EXPECT_TRUE(ShowsNodes({"show", "NodeName=n1"}));
  EXPECT_FALSE(ShowsNodes({"show", "host"}));
  EXPECT_FALSE(ShowsNodes({"show"}));
  EXPECT_FALSE(ShowsNodes({"show", "job", "7"}));
  EXPECT_FALSE(ShowsNodes({"update", "node"}));
}

}  // namespace
}  // namespace priorityd
