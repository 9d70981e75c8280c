// sprio's tables against what a real sprio printed of the same jobs.
#include "client/prioctl/slurm/sprio_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr char kContributions[] = "sprio -o \"%i %u %r %Y %A %F %J %P %Q %N %T %B %S\"";
constexpr char kFactors[] =
    "sprio -o \"%.15i %9r %.8u %.10Y %10a %10b %10f %10j %10p %10q %o %c %n %t\"";

using Cells = std::vector<std::string>;

double Number(const std::string& text) {
  double number = 0;
  EXPECT_TRUE(absl::SimpleAtod(text, &number)) << text;
  return number;
}

// `cpu=6,mem=0,gres/gpu=50`; what is 0 to so many digits was printed since it is more.
void ReadTres(const std::string& text, google::protobuf::Map<std::string, double>* tres) {
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(item, '=');
    const double value = Number(parts.second);
    (*tres)[parts.first] = value == 0 ? 0.001 : value;
  }
}

// A priority that was set by hand has a blank where the TRES stand.
v1::RankedJob ReadContributions(const std::string& line) {
  const Cells cells = absl::StrSplit(line, ' ');
  EXPECT_EQ(cells.size(), 13u) << line;
  v1::RankedJob job;
  job.set_job_id(cells[0]);
  job.set_user(cells[1]);
  job.set_partition(cells[2]);
  job.set_priority(static_cast<uint32_t>(Number(cells[3])));
  v1::PriorityFactors& c = *job.mutable_contributions();
  c.set_age(Number(cells[4]));
  c.set_fair_share(Number(cells[5]));
  c.set_job_size(Number(cells[6]));
  c.set_partition(Number(cells[7]));
  c.set_qos(Number(cells[8]));
  c.set_nice(-Number(cells[9]));
  ReadTres(cells[10], c.mutable_tres());
  c.set_assoc(Number(cells[11]));
  c.set_site(Number(cells[12]));
  job.mutable_factors()->set_nice(Number(cells[9]));
  return job;
}

void ReadFactors(const std::string& line, v1::RankedJob* job) {
  const Cells cells = absl::StrSplit(line, ' ', absl::SkipWhitespace());
  EXPECT_EQ(cells[0], job->job_id());
  EXPECT_EQ(cells[1], job->partition());
  v1::PriorityFactors& f = *job->mutable_factors();
  f.set_age(Number(cells[4]));
  f.set_assoc(Number(cells[5]));
  f.set_fair_share(Number(cells[6]));
  f.set_job_size(Number(cells[7]));
  f.set_partition(Number(cells[8]));
  f.set_qos(Number(cells[9]));
  if (cells.size() > 11) ReadTres(cells[11], f.mutable_tres());
}

class CapturedSprioTest : public ::testing::Test {
 protected:
  CapturedSprioTest() {
    const jobs::Lines contributions = jobs::CapturedLines("sprio.txt", kContributions);
    const jobs::Lines factors = jobs::CapturedLines("sprio.txt", kFactors);
    EXPECT_EQ(contributions.size(), factors.size());
    for (size_t i = 1; i < contributions.size(); ++i) {
      v1::RankedJob& job = *answer_.add_ranked();
      job = ReadContributions(contributions[i]);
      ReadFactors(factors[i], &job);
    }
    weights_.set_weight_age(1000);
    weights_.set_weight_assoc(300);
    weights_.set_weight_fair_share(10000);
    weights_.set_weight_job_size(500);
    weights_.set_weight_partition(1000);
    weights_.set_weight_qos(2000);
    (*weights_.mutable_weight_tres())["cpu"] = 100;
  }

  jobs::Lines Print(const SprioOptions& options) {
    std::ostringstream out;
    EXPECT_TRUE(PrintPriorities(answer_, weights_, options, out).ok());
    return absl::StrSplit(absl::StripSuffix(out.str(), "\n"), '\n');
  }

  v1::RankJobsResponse answer_;
  v1::PolicyParameters weights_;
};

TEST_F(CapturedSprioTest, EveryTableIsSlurmsByteForByte) {
  std::map<std::string, SprioOptions> commands;
  commands["sprio"];
  commands["sprio -l"].long_listing = true;
  commands["sprio -n"].normalized = true;
  commands["sprio -n -l"].normalized = commands["sprio -n -l"].long_listing = true;
  commands["sprio -h"].header = false;
  commands["sprio -S -y"].sort = "-y";
  commands["sprio -S u,-Y"].sort = "u,-Y";
  commands[kContributions].format = "%i %u %r %Y %A %F %J %P %Q %N %T %B %S";
  for (const auto& [command, options] : commands) {
    EXPECT_EQ(Print(options), jobs::CapturedLines("sprio.txt", command)) << command;
  }
}

// The service filters; what is left is printed alike, with the users where they were asked for.
TEST_F(CapturedSprioTest, TablesOfSomeUsersAndPartitionsAreSlurms) {
  const v1::RankJobsResponse all = answer_;
  const auto keep = [&](auto fits) {
    answer_.clear_ranked();
    for (const v1::RankedJob& job : all.ranked()) {
      if (fits(job)) *answer_.add_ranked() = job;
    }
  };
  SprioOptions of_ann;
  of_ann.users = {"ann"};
  keep([](const v1::RankedJob& job) { return job.user() == "ann"; });
  EXPECT_EQ(Print(of_ann), jobs::CapturedLines("sprio.txt", "sprio -u ann"));
  SprioOptions of_gpu;
  of_gpu.partitions = {"gpu"};
  keep([](const v1::RankedJob& job) { return job.partition() == "gpu"; });
  EXPECT_EQ(Print(of_gpu), jobs::CapturedLines("sprio.txt", "sprio -p gpu"));
}

// `%o` and `%n` are fields of later versions, and the cluster's name is printed where 22.05 has
// none.
TEST_F(CapturedSprioTest, FactorsInColumnsOfOnesOwnAreSlurms) {
  answer_.mutable_snapshot()->set_cluster("(null)");
  SprioOptions options;
  options.format = "%.15i %9r %.8u %.10Y %10a %10b %10f %10j %10p %10q %c %t";
  EXPECT_EQ(Print(options), jobs::CapturedLines("sprio.txt", kFactors));
}

// The real one lists job 23 in main before gpu, as it was submitted, though it stands higher in
// gpu.
TEST_F(CapturedSprioTest, RowsOfOneJobStandInTheOrderOfItsPartitions) {
  std::reverse(answer_.mutable_ranked()->begin(), answer_.mutable_ranked()->end());
  EXPECT_THAT(JobsOfSeveralRows(answer_), ::testing::ElementsAre("23"));
  v1::ListJobsResponse named;
  v1::Job& job = *named.add_jobs()->mutable_job();
  job.set_job_id("23");
  job.add_partitions("main");
  job.add_partitions("gpu");
  OrderAsNamed(named, &answer_);
  EXPECT_EQ(Print({}), jobs::CapturedLines("sprio.txt", "sprio"));
}

}  // namespace
}  // namespace priorityd::prioctl
