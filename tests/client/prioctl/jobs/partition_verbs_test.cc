// prioctl scontrol on partitions: what it asks for, and what it says when that is refused.
#include "client/prioctl/jobs/partition_verbs.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs/entity_words.h"
#include "client/prioctl/jobs/partition_sheet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/jobs/captured_partitions.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PartitionVerbsTest : public PrioctlTest {
 protected:
  PartitionVerbsTest() {
    fake_.list_partitions.Answer([](const v1::ListPartitionsRequest& asked, auto* answer) {
      for (const v1::Partition& partition : jobs::CapturedPartitions()) {
        const bool wanted =
            asked.names().empty() || absl::c_linear_search(asked.names(), partition.name());
        if (wanted) *answer->add_partitions() = partition;
      }
      answer->set_etag("as-it-was");
      return grpc::Status::OK;
    });
    const auto warn = [](const auto&, v1::ChangeResponse* answer) {
      answer->add_warnings("the slurm.conf applied last names it");
      return grpc::Status::OK;
    };
    fake_.update_partitions.Answer(warn);
    fake_.delete_partitions.Answer(warn);
  }

  Finished Scontrol(std::vector<std::string> words) {
    words.insert(words.begin(), "scontrol");
    return Run(words);
  }
  // The newest one.
  v1::UpdatePartitionsRequest Updated(const std::vector<std::string>& words) {
    const Finished run = Scontrol(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "");
    const auto requests = fake_.update_partitions.requests();
    return requests.empty() ? v1::UpdatePartitionsRequest() : requests.back();
  }
};

// `ADD AllowAccounts=chem` for each setting.
std::vector<std::string> Texts(const v1::UpdatePartitionsRequest& request) {
  std::vector<std::string> texts;
  for (const v1::Setting& setting : request.settings()) {
    texts.push_back(absl::StrCat(v1::SettingOperator_Name(setting.operator_()).substr(17), " ",
                                 setting.name(), "=", setting.value()));
  }
  return texts;
}

TEST_F(PartitionVerbsTest, ShowPrintsAllOrTheOneThatIsNamed) {
  std::string all, lines;
  for (const v1::Partition& partition : jobs::CapturedPartitions()) {
    all += jobs::PartitionSheet(partition, false);
    lines += jobs::PartitionSheet(partition, true);
  }
  EXPECT_EQ(Scontrol({"show", "partition"}).out, all);
  EXPECT_EQ(Scontrol({"-o", "show", "part"}).out, lines);
  const std::string gpu = jobs::PartitionSheet(jobs::CapturedPartitions().at(1), false);
  EXPECT_EQ(Scontrol({"show", "partition", "gpu"}).out, gpu);
  EXPECT_EQ(Scontrol({"show", "PartitionName=gpu"}).out, gpu);
  EXPECT_THAT(fake_.list_partitions.requests().back().names(), ElementsAre("gpu"));
}

TEST_F(PartitionVerbsTest, ShowOfOneThatIsNotThereSaysWhatScontrolSays) {
  const Finished run = Scontrol({"show", "partition", "nowhere"});
  EXPECT_EQ(run.exit_code, 1);
  const jobs::Lines captured =
      jobs::CapturedLines("refused_verbs.txt", "scontrol show partition nowhere");
  EXPECT_EQ(run.out, absl::StrCat(absl::StrJoin(captured, "\n"), "\n"));
  fake_.list_partitions.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const Finished none = Scontrol({"show", "partition"});
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_EQ(none.out, "No partitions in the system\n");
}

TEST_F(PartitionVerbsTest, JsonIsTheAnswer) {
  const Finished shown = Scontrol({"--json", "show", "partition", "gpu"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, IsOneLine());
  EXPECT_THAT(shown.out, HasSubstr("\"name\":\"gpu\""));
  EXPECT_THAT(shown.out, HasSubstr("\"PriorityJobFactor\":\"50\""));
  const Finished changed = Scontrol({"--json", "update", "PartitionName=gpu", "State=DOWN"});
  EXPECT_THAT(changed.out, HasSubstr("\"warnings\":[\"the slurm.conf applied last names it\"]"));
}

TEST_F(PartitionVerbsTest, UpdateSendsTheWordsAsTheyAre) {
  const v1::UpdatePartitionsRequest request = Updated(
      {"update", "PartitionName=main", "State=DOWN", "AllowAccounts+=chem", "DenyQos-=low"});
  EXPECT_THAT(request.names(), ElementsAre("main"));
  EXPECT_THAT(Texts(request), ElementsAre("UNSPECIFIED State=DOWN", "ADD AllowAccounts=chem",
                                          "REMOVE DenyQos=low"));
  EXPECT_FALSE(request.allow_missing());
  EXPECT_THAT(Texts(Updated({"upd", "prio=5", "part=main", "TRESBill=CPU=1,Mem=2"})),
              ElementsAre("UNSPECIFIED prio=5", "UNSPECIFIED TRESBill=CPU=1,Mem=2"));
}

TEST_F(PartitionVerbsTest, APartitionBesideAJobIsTheJobs) {
  EXPECT_TRUE(jobs::NamesEntity({"PartitionName=main", "State=UP"}, "PartitionName"));
  EXPECT_TRUE(jobs::NamesEntity({"State=UP", "partition=main"}, "PartitionName"));
  EXPECT_FALSE(jobs::NamesEntity({"JobId=7", "Partition=main"}, "PartitionName"));
  EXPECT_FALSE(jobs::NamesEntity({"Partition=main", "jobname=topped"}, "PartitionName"));
  EXPECT_FALSE(jobs::NamesEntity({"PartitionNames=main"}, "PartitionName"));
  EXPECT_FALSE(jobs::NamesEntity({"nice=5"}, "PartitionName"));
}

TEST_F(PartitionVerbsTest, CreateMakesWhatIsNotThere) {
  const v1::UpdatePartitionsRequest request =
      Updated({"create", "PartitionName=fast", "Nodes=n1", "MaxTime=1:00:00"});
  EXPECT_THAT(request.names(), ElementsAre("fast"));
  EXPECT_THAT(Texts(request), ElementsAre("UNSPECIFIED Nodes=n1", "UNSPECIFIED MaxTime=1:00:00"));
  EXPECT_TRUE(request.allow_missing());
  EXPECT_EQ(request.options().etag(), "as-it-was");
  const Finished again = Scontrol({"create", "PartitionName=gpu", "State=UP"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("PartitionName: got \"gpu\", which is there already"));
  EXPECT_EQ(fake_.update_partitions.requests().size(), 1u);
}

TEST_F(PartitionVerbsTest, DeleteAndWarningsAreReportedOnStandardError) {
  const Finished run = Scontrol({"delete", "PartitionName=gpu"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "Warning: the slurm.conf applied last names it\n");
  const auto requests = fake_.delete_partitions.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_THAT(requests[0].names(), ElementsAre("gpu"));
}

TEST_F(PartitionVerbsTest, ARefusalIsReportedAndIsAFailure) {
  fake_.update_partitions.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::NOT_FOUND, "names[0]: got \"x\", want an existing partition");
  });
  const Finished run = Scontrol({"update", "PartitionName=x", "State=UP"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: PartitionName: got \"x\", want an existing partition\n");
  fake_.update_partitions.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::INVALID_ARGUMENT, "settings[1].value: State: got \"UPP\", want UP");
  });
  EXPECT_EQ(Scontrol({"update", "PartitionName=x", "MaxTime=1", "State=UPP"}).err,
            "prioctl: State: got \"UPP\", want UP\n");
}

TEST_F(PartitionVerbsTest, BadLinesAreRefusedBeforeAnythingIsAsked) {
  const auto fails = [&](const std::vector<std::string>& words) {
    const Finished run = Scontrol(words);
    EXPECT_NE(run.exit_code, 0) << absl::StrJoin(words, " ");
    return run.err;
  };
  EXPECT_THAT(fails({"create"}), HasSubstr("want PartitionName=NAME"));
  EXPECT_THAT(fails({"delete", "PartitionName="}), HasSubstr("want PartitionName=NAME, one name"));
  EXPECT_THAT(fails({"delete", "PartitionName=a", "PartitionName=b"}), HasSubstr("got two"));
  EXPECT_THAT(fails({"delete", "PartitionName=gpu", "State=UP"}), HasSubstr("got \"State\""));
  EXPECT_THAT(fails({"update", "PartitionName=main"}), HasSubstr("No changes specified"));
  EXPECT_THAT(fails({"update", "PartitionName=main", "State"}),
              HasSubstr("got \"State\", want WORD=VALUE"));
  EXPECT_THAT(fails({"update", "PartitionName=main", "=UP"}), HasSubstr("want WORD=VALUE"));
  EXPECT_THAT(fails({"update", "NodeName=n1", "State=DOWN"}),
              HasSubstr("only jobs, partitions and reservations are updated here"));
  EXPECT_THAT(fails({"--on-behalf-of", "ann", "update", "PartitionName=main", "State=UP"}),
              HasSubstr("--on-behalf-of: got \"ann\", want none"));
  EXPECT_TRUE(fake_.list_partitions.requests().empty());
  EXPECT_TRUE(fake_.update_partitions.requests().empty());
  EXPECT_TRUE(fake_.delete_partitions.requests().empty());
}

}  // namespace
}  // namespace priorityd
