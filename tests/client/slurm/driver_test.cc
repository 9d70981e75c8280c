#include "client/slurm/driver.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/temporary_folder.h"

// The folders that this program has synced.
static std::atomic<int> synced_folders = 0;

// Precedes the C library's.
extern "C" int fsync(int file) {
  struct stat about = {};
  if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) ++synced_folders;
  return static_cast<int>(syscall(SYS_fsync, file));
}

namespace priorityd::slurm_frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Does with updates and releases what slurmctld 22.05.8 was seen to do.
class FakeSlurmctld {
 public:
  struct Job {
    int64_t priority = 0;
    int64_t nice = 0;
    int64_t computed = 0;
  };

  RunCommand Runner() {
    return
        [this](const Arguments& arguments, const std::string& in) -> absl::StatusOr<std::string> {
          if (arguments[0] != "scontrol") return Squeue();
          if (away) return absl::UnavailableError("scontrol: no controller");
          for (const absl::string_view line : absl::StrSplit(in, '\n', absl::SkipEmpty()))
            Obey(line);
          return "";
        };
  }

  DriveInput Input(bool multifactor) {
    DriveInput input;
    input.jobs = *tables::ReadSqueuePriorities("squeue", Squeue());
    input.multifactor = multifactor;
    for (const auto& [id, job] : jobs) {
      tables::SprioRow row;
      row.job_id = id;
      row.priority = job.priority;
      const bool set = job.priority != job.computed - job.nice;
      row.factors["age"] = set ? 0 : 0.5;
      row.contributions["age"] = set ? 0 : 500;
      if (multifactor && job.priority != 0) input.sprio.push_back(row);
    }
    return input;
  }

  std::vector<std::string> ByPriority() const {
    std::vector<std::string> ids;
    for (const auto& [id, job] : jobs) ids.push_back(id);
    std::sort(ids.begin(), ids.end(), [&](const auto& a, const auto& b) {
      return jobs.at(a).priority > jobs.at(b).priority;
    });
    return ids;
  }

  std::map<std::string, Job> jobs;
  std::vector<std::string> sent;
  std::function<void()> before_squeue = [] {};
  bool away = false;

 private:
  std::string Squeue() {
    before_squeue();
    std::string text = "JOBID|USER|STATE|NICE|PRIORITY|\n";
    for (const auto& [id, job] : jobs) {
      absl::StrAppend(&text, id, "|ann|PENDING|", job.nice, "|", job.priority, "|\n");
    }
    return text;
  }

  void Obey(absl::string_view line) {
    sent.emplace_back(line);
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const bool release = words[0] == "release";
    for (const absl::string_view id :
         absl::StrSplit(release ? words[1] : words[1].substr(6), ',')) {
      Job& job = jobs.at(std::string(id));
      int64_t value = 0;
      if (release) {
        job.priority = job.computed - job.nice;
      } else if (absl::SimpleAtoi(words[2].substr(words[2].find('=') + 1), &value)) {
        if (absl::StartsWith(words[2], "Priority")) {
          job.priority = value;
          job.nice = 0;
        } else {
          job.priority += job.nice - value;
          job.nice = value;
        }
      }
    }
  }
};

class DriverTest : public ::testing::Test {
 protected:
  DriverTest() {
    int64_t priority = 3000;
    for (const char* id : {"1", "2", "3", "4"})
      slurm_.jobs[id] = {priority, 0, priority}, priority -= 500;
  }

  Driver Make(bool by_nice = false, bool dry_run = false) {
    Driver driver({.by_nice = by_nice, .state_file = folder_.path() + "/state", .dry_run = dry_run},
                  slurm_.Runner(), [](absl::Duration) {});
    EXPECT_EQ(driver.Load(), absl::OkStatus());
    return driver;
  }

  DriveReport Drive(Driver driver, const std::vector<std::string>& order, bool multifactor = true) {
    const auto report = driver.Drive(order, slurm_.Input(multifactor));
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(DriveReport());
  }

  const TemporaryFolder folder_;
  FakeSlurmctld slurm_;
};

TEST_F(DriverTest, SlurmctldGetsOurOrderAndThenOnlyWhatMoved) {
  Drive(Make(), {"3", "1", "4", "2"});
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("3", "1", "4", "2"));
  slurm_.sent.clear();
  Drive(Make(), {"3", "1", "4", "2"});
  EXPECT_THAT(slurm_.sent, IsEmpty());
  Drive(Make(), {"2", "3", "1", "4"});
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("2", "3", "1", "4"));
  EXPECT_THAT(slurm_.sent, SizeIs(1));
}

TEST_F(DriverTest, UnderPriorityBasicOnlyWhatMovesIsSet) {
  Drive(Make(), {"4", "1", "2", "3"}, /*multifactor=*/false);
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("4", "1", "2", "3"));
  slurm_.sent.clear();
  Drive(Make(), {"4", "2", "3", "1"}, /*multifactor=*/false);
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("4", "2", "3", "1"));
  EXPECT_THAT(slurm_.sent, SizeIs(1));
}

TEST_F(DriverTest, NiceValuesGiveTheSameOrder) {
  Drive(Make(/*by_nice=*/true), {"3", "1", "4", "2"});
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("3", "1", "4", "2"));
}

TEST_F(DriverTest, HeldJobsAreNotTouched) {
  slurm_.jobs["3"].priority = 0;
  Drive(Make(), {"3", "4", "2", "1"});
  EXPECT_EQ(slurm_.jobs["3"].priority, 0);
  EXPECT_THAT(slurm_.sent, SizeIs(3));
}

TEST_F(DriverTest, AJobThatIsHeldMeanwhileStaysHeld) {
  const DriveInput input = slurm_.Input(true);
  slurm_.before_squeue = [this] { slurm_.jobs["3"].priority = 0; };
  ASSERT_TRUE(Make().Drive({"3", "4", "2", "1"}, input).ok());
  EXPECT_EQ(slurm_.jobs["3"].priority, 0);
}

TEST_F(DriverTest, WhatAnAdministratorSetsStays) {
  slurm_.jobs["2"].priority = 7;  // before
  Drive(Make(), {"2", "3", "1", "4"});
  EXPECT_EQ(slurm_.jobs["2"].priority, 7);
  slurm_.jobs["3"].priority = 8;  // after we did
  EXPECT_EQ(Drive(Make(), {"2", "3", "1", "4"}).by_hand, 2);
  EXPECT_EQ(slurm_.jobs["3"].priority, 8);
}

TEST_F(DriverTest, ADryRunSetsNothing) {
  const DriveReport report = Drive(Make(false, /*dry_run=*/true), {"4", "3", "2", "1"});
  EXPECT_THAT(report.set, SizeIs(4));
  EXPECT_THAT(slurm_.sent, IsEmpty());
  EXPECT_FALSE(std::ifstream(folder_.path() + "/state").is_open());
}

TEST_F(DriverTest, ReleaseGivesPrioritiesAndNiceValuesBack) {
  slurm_.jobs["2"].nice = 40;
  slurm_.jobs["2"].priority -= 40;
  Drive(Make(), {"4", "3", "2", "1"});
  Driver driver = Make();
  ASSERT_TRUE(driver.Release(slurm_.Input(true)).ok());
  EXPECT_EQ(slurm_.jobs["1"].priority, 3000);
  EXPECT_EQ(slurm_.jobs["2"].nice, 40);
  EXPECT_EQ(slurm_.jobs["2"].priority, 2460);
  slurm_.sent.clear();
  ASSERT_TRUE(Make().Release(slurm_.Input(true)).ok());
  EXPECT_THAT(slurm_.sent, IsEmpty());
}

TEST_F(DriverTest, ReleaseOfNiceValuesRestoresThem) {
  slurm_.jobs["2"].nice = 40;
  slurm_.jobs["2"].priority -= 40;
  Drive(Make(true), {"4", "3", "2", "1"});
  Driver driver = Make(true);
  ASSERT_TRUE(driver.Release(slurm_.Input(true)).ok());
  EXPECT_EQ(slurm_.jobs["2"].nice, 40);
  EXPECT_EQ(slurm_.jobs["4"].priority, 1500);
}

// The state is written first: a slurmctld that is unreachable then gets it with the next pass.
TEST_F(DriverTest, AnUnreachableSlurmctldIsSetLater) {
  slurm_.away = true;
  EXPECT_THAT(Drive(Make(), {"4", "3", "2", "1"}).errors, SizeIs(1));
  slurm_.away = false;
  Drive(Make(), {"4", "3", "2", "1"});
  EXPECT_THAT(slurm_.ByPriority(), ElementsAre("4", "3", "2", "1"));
}

TEST_F(DriverTest, WhatTheUserWantedIsMirroredNotWhatWeSet) {
  slurm_.jobs["2"].nice = 40;
  slurm_.jobs["2"].priority -= 40;
  slurm_.jobs["4"].priority = 9;
  Drive(Make(), {"3", "2", "1"});
  ::priority::v1::InlineJobs jobs;
  for (const char* id : {"2", "4"}) jobs.add_jobs()->set_job_id(id);
  Make().Restore(slurm_.Input(true), &jobs);
  EXPECT_EQ(jobs.jobs(0).nice(), 40);
  EXPECT_FALSE(jobs.jobs(0).has_admin_priority());
  EXPECT_EQ(jobs.jobs(1).admin_priority(), 9);
}

TEST_F(DriverTest, UnderNiceValuesAPrioritySetByHandIsMirroredAndANiceValueIsNot) {
  Drive(Make(/*by_nice=*/true), {"3", "2", "1"});
  slurm_.jobs["2"].nice += 5;  // By its user, after we did.
  slurm_.jobs["4"].priority = 9;
  ::priority::v1::InlineJobs jobs;
  for (const char* id : {"2", "4"}) jobs.add_jobs()->set_job_id(id);
  DriveInput input = slurm_.Input(true);
  input.sprio[1].contributions["age"] = 500;  // Slurmctld computes job 2 by its factors.
  input.sprio[1].factors["age"] = 0.5;
  Make(true).Restore(input, &jobs);
  EXPECT_FALSE(jobs.jobs(0).has_admin_priority());
  EXPECT_EQ(jobs.jobs(1).admin_priority(), 9);
}

// Its number alone would mean tasks that are split off too, and release those that are held.
TEST_F(DriverTest, AnArrayIsNamedByTheTasksThatWaitTogether) {
  const auto jobs = tables::ReadSqueuePriorities(
      "squeue", "JOBID|STATE|NICE|PRIORITY|\n19_[0-5,9%2]|PENDING|0|5|\n19_7|PENDING|0|0|\n");
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_EQ(jobs->at("19").scontrol_id, "19_[0-5,9]");
  EXPECT_EQ(jobs->at("19_7").scontrol_id, "19_7");
}

TEST_F(DriverTest, ABrokenStateIsRefused) {
  std::ofstream(folder_.path() + "/state") << "priorityd-slurm 1: job, value, before, nice\n7 x\n";
  Driver driver({.state_file = folder_.path() + "/state"}, slurm_.Runner(), [](absl::Duration) {});
  EXPECT_EQ(driver.Load().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DriverTest, OnlyAStateThatDoesNotExistIsEmpty) {
  EXPECT_TRUE(ReadDriveState(folder_.path() + "/none").ok());
  std::ofstream(folder_.path() + "/file") << "text";
  for (const std::string& path : {folder_.path(), folder_.path() + "/file/state"}) {
    EXPECT_EQ(ReadDriveState(path).status().code(), absl::StatusCode::kUnavailable) << path;
  }
}

TEST_F(DriverTest, AStateThatIsWrittenIsOnDisk) {
  const int before = synced_folders;
  ASSERT_TRUE(WriteDriveState(folder_.path() + "/state", {{"7", {}}}).ok());
  EXPECT_EQ(synced_folders, before + 1) << "otherwise the old file is back after a power failure";
}

}  // namespace
}  // namespace priorityd::slurm_frontend
