#include "client/prioctl/sreport/job_sizes.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

using ::testing::ElementsAre;

// Jobs of an hour: who and how many CPUs, on root > chem > sub and root > phys.
class JobSizesTest : public ::testing::Test {
 protected:
  JobSizesTest() {
    for (const auto& [account, parent] :
         {std::pair("root", ""), {"chem", "root"}, {"sub", "chem"}, {"phys", "root"}}) {
      auto* added = report_.add_accounts();
      added->set_account(account);
      added->set_parent_account(parent);
    }
    for (const auto& [account, cpus] :
         {std::pair("sub", 49.), {"sub", 50.}, {"chem", 249.}, {"phys", 1000.}}) {
      auto* row = report_.add_rows();
      row->set_account(account);
      row->set_wall_seconds(3600);
      (*row->mutable_tres_seconds())["cpu"] = 3600 * cpus;
    }
  }

  // Of each account, the numbers of jobs by size.
  std::vector<std::pair<std::string, std::vector<uint64_t>>> Jobs() const {
    std::vector<std::pair<std::string, std::vector<uint64_t>>> found;
    for (const AccountSizes& account : SizesOf(report_, options_)) {
      found.push_back({account.account, {}});
      for (const SizedUsage& sized : account.sizes) found.back().second.push_back(sized.jobs);
    }
    return found;
  }

  ::priority::v1::ReportUsageResponse report_;
  SreportOptions options_;
};

using Counts = std::vector<uint64_t>;

TEST_F(JobSizesTest, ASizeBeginsWithItsFirstNumber) {
  EXPECT_THAT(Jobs(), ElementsAre(std::pair("root", Counts{1, 2, 0, 0, 1})));
}

TEST_F(JobSizesTest, AccountsBelowRootHaveTheJobsOfThoseBelowThem) {
  options_.accounts_as_parents = true;
  EXPECT_THAT(Jobs(), ElementsAre(std::pair("chem", Counts{1, 2, 0, 0, 0}),
                                  std::pair("phys", Counts{0, 0, 0, 0, 1})));
}

TEST_F(JobSizesTest, FlatEachAccountHasItsOwn) {
  options_.flat_view = true;
  options_.sizes = {250};
  EXPECT_THAT(Jobs(), ElementsAre(std::pair("chem", Counts{1, 0}), std::pair("phys", Counts{0, 1}),
                                  std::pair("sub", Counts{2, 0})));
}

TEST_F(JobSizesTest, AccountsNamedAreTheOnlyOnes) {
  options_.accounts = {"phys"};
  EXPECT_THAT(Jobs(), ElementsAre(std::pair("root", Counts{0, 0, 0, 0, 1})));
}

TEST_F(JobSizesTest, OfAnotherTresTheSizesAreStillOfCpus) {
  (*report_.mutable_rows(3)->mutable_tres_seconds())["gres/gpu"] = 7200;
  options_.tres = {"gres/gpu"};
  const auto sizes = SizesOf(report_, options_);
  ASSERT_EQ(sizes.size(), 1);
  EXPECT_EQ(sizes[0].sizes[4].tres_seconds, 7200);
}

TEST_F(JobSizesTest, ACircleOfAccountsIsWalkedOnce) {
  report_.mutable_accounts(0)->set_parent_account("sub");
  options_.sizes = {1};
  size_t jobs = 0;
  for (const auto& [account, counts] : Jobs()) jobs += counts[1];
  EXPECT_EQ(jobs, 4);
}

}  // namespace
}  // namespace priorityd::prioctl
