// Two Slurm clusters under one account tree: what two real slurmctlds of one slurmdbd printed
// (tests/slurm/clusters), played back to a real priorityd.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/slurm/observer.h"
#include "client/slurm/pass_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/slurm/played_slurm.h"
#include "tests/end_to_end/shared_priorityd.h"

namespace priorityd::slurm_frontend {
namespace {

namespace v1 = ::priority::v1;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kShares[] = " -a -m -P -o Cluster,Account,User,Partition,RawUsage";

// Usage of users in one of sshare's tables, by account and user; added up as simply as can be.
void AddUsage(const std::string& shares, std::map<std::string, double>* usage) {
  for (const absl::string_view line : absl::StrSplit(shares, '\n', absl::SkipWhitespace())) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    double used = 0;
    if (cells.size() != 5 || cells[2].empty() || !absl::SimpleAtod(cells[4], &used)) continue;
    (*usage)[absl::StrCat(absl::StripAsciiWhitespace(cells[1]), "/", cells[2])] += used;
  }
}

// A cluster as it was captured, and one of priorityd's of its own that follows it.
class Site {
 public:
  Site(const std::string& name, const std::string& other, UsageFrom usage)
      : slurm_("clusters_" + name + ".txt.gz"),
        name_(absl::StrCat(::testing::UnitTest::GetInstance()->current_test_info()->name(), "_",
                           name)),
        observer_(Options(name_, other, usage), &client_, Runner()) {}

  absl::StatusOr<PassReport> Pass(int pass) {
    slurm_.Play(pass);
    absl::StatusOr<PassReport> report = observer_.Pass();
    EXPECT_TRUE(report.ok()) << report.status();
    return report;
  }

  std::string Shares(const std::string& of) const {
    return slurm_.Printed(absl::StrCat("sshare", of, kShares));
  }

  // Of users, by account and user.
  std::map<std::string, v1::AssociationShare> ListShares() const {
    v1::ListSharesRequest request;
    request.set_cluster(name_);
    const auto response = client_.ListAllShares(request);
    EXPECT_TRUE(response.ok()) << response.status();
    std::map<std::string, v1::AssociationShare> shares;
    for (const v1::AssociationShare& share : response->shares()) {
      if (share.user().empty()) continue;
      shares[absl::StrCat(share.account(), "/", share.user())] = share;
    }
    return shares;
  }

  std::vector<std::string> Order() const {
    v1::RankJobsRequest request;
    request.set_cluster(name_);
    request.mutable_tracked();
    const auto response = client_.RankJobs(request);
    EXPECT_TRUE(response.ok()) << response.status();
    std::vector<std::string> order;
    for (const v1::RankedJob& row : response->ranked()) order.push_back(row.job_id());
    return order;
  }

  bool away = false;  // The other cluster's slurmctld.

 private:
  static ObserverOptions Options(const std::string& name, const std::string& other,
                                 UsageFrom usage) {
    ObserverOptions options;
    options.mirror.cluster = name;
    options.mirror.policy_lines = {"FairTreeTies=slurm", "Clock=manual"};
    options.usage = usage;
    if (!other.empty()) options.usage_clusters = {other};
    options.zone = absl::UTCTimeZone();
    return options;
  }

  // From when on records are asked for differs from run to run.
  RunCommand Runner() {
    return [this, run = slurm_.Runner()](const Arguments& arguments, const std::string& in) {
      if (away && absl::StrContains(CommandText(arguments), " -M ")) {
        return absl::StatusOr<std::string>(absl::UnavailableError("sshare: no controller"));
      }
      Arguments asked = arguments;
      const auto since = std::find(asked.begin(), asked.end(), "-S");
      if (since != asked.end()) *(since + 1) = "SINCE";
      // Captured without it: no job had been requeued.
      std::erase(asked, "-D");
      return run(asked, in);
    };
  }

  PlayedSlurm slurm_;
  const std::string name_;
  const client::PriorityClient client_{{.address = SharedPriorityd().address()}};
  Observer observer_;
};

TEST(ClustersTest, EachClusterHasTheUsageOfBothAssociationByAssociation) {
  Site lab("lab", "annex", UsageFrom::kSshare);
  Site annex("annex", "lab", UsageFrom::kSshare);
  for (int pass = 1; pass <= 2; ++pass) {
    for (Site* site : {&lab, &annex}) {
      ASSERT_TRUE(site->Pass(pass).ok());
      std::map<std::string, double> want;
      AddUsage(site->Shares(""), &want);
      AddUsage(site->Shares(site == &lab ? " -M annex" : " -M lab"), &want);
      const auto got = site->ListShares();
      EXPECT_EQ(got.size(), want.size());
      for (const auto& [who, share] : got) {
        EXPECT_DOUBLE_EQ(share.raw_usage(), want[who]) << pass << " " << who;
      }
    }
  }
  EXPECT_GT(lab.ListShares().at("astro/ann").raw_usage(), 400);
}

TEST(ClustersTest, PriorityInOneClusterFallsWithUseInTheOther) {
  Site lab("lab", "annex", UsageFrom::kSshare);
  Site alone("lab", "", UsageFrom::kSshare);
  ASSERT_TRUE(lab.Pass(1).ok());
  const std::vector<std::string> before = lab.Order();
  const double share_before = lab.ListShares().at("astro/ann").fair_share();
  const auto report = lab.Pass(2);
  EXPECT_EQ(report->comparison.Unexplained(), 0);
  EXPECT_THAT(PassTable(*report, absl::UTCTimeZone(), 99), HasSubstr("that of annex as well"));
  EXPECT_LT(lab.ListShares().at("astro/ann").fair_share(), share_before);
  // Ann's job was submitted first; lab itself knows nothing of ann's usage in annex.
  EXPECT_EQ(before.front(), lab.Order().back());
}

TEST(ClustersTest, AloneAClusterAgreesWithItsOwnSprio) {
  Site alone("lab", "", UsageFrom::kSshare);
  for (int pass = 1; pass <= 2; ++pass) {
    EXPECT_THAT(alone.Pass(pass)->comparison.differences, IsEmpty());
  }
}

TEST(ClustersTest, AClusterThatIsAwayCountsAsItWasLastKnown) {
  Site lab("lab", "annex", UsageFrom::kSshare);
  lab.away = true;
  const auto first = lab.Pass(2);
  EXPECT_THAT(first->away, ElementsAre(HasSubstr("usage of annex is not known yet")));
  EXPECT_FALSE(first->usage_taken);
  lab.away = false;
  EXPECT_THAT(lab.Pass(2)->away, IsEmpty());
  const double known = lab.ListShares().at("astro/ann").raw_usage();
  EXPECT_GT(known, 400);
  lab.away = true;
  const auto later = lab.Pass(2);
  EXPECT_THAT(later->away, ElementsAre(HasSubstr("counts as it was last known")));
  EXPECT_NEAR(lab.ListShares().at("astro/ann").raw_usage(), known, 0.1 * known);
  EXPECT_THAT(PassJson(*later), HasSubstr("last known"));
}

TEST(ClustersTest, AClusterIsNoOtherOfItself) {
  PlayedSlurm slurm("clusters_lab.txt.gz");
  const client::PriorityClient client({.address = SharedPriorityd().address()});
  ObserverOptions options;
  options.usage_clusters = {"lab"};
  const auto report = Observer(options, &client, slurm.Runner()).Pass();
  EXPECT_EQ(report.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("the cluster itself"));
}

TEST(ClustersTest, RecordsOfBothClustersCountOnce) {
  Site lab("lab", "annex", UsageFrom::kSacct);
  const auto report = lab.Pass(2);
  EXPECT_EQ(report->usage_records, 1);  // The one job that ended, in annex.
  EXPECT_EQ(report->usage_rejected, 0) << report->first_rejection;
  EXPECT_GT(lab.ListShares().at("astro/ann").raw_usage(), 400);
  EXPECT_EQ(lab.Pass(2)->usage_records, 0);
}

// What tests/slurm/clusters saw a real slurmctld do.
std::map<std::string, std::string> CapturedClusters() {
  std::map<std::string, std::string> said;
  std::ifstream file("tests/slurm/captured/clusters.txt");
  for (std::string line; std::getline(file, line);) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    said[parts.first] = parts.second;
  }
  return said;
}

TEST(ClustersTest, ARealSlurmctldStartsJobsByTheUsageOfBothClusters) {
  const auto said = CapturedClusters();
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(said.at("started"), ' ')), SizeIs(10));
  EXPECT_EQ(said.at("started"), said.at("ours"));
  EXPECT_THAT(said.at("started"), Not(said.at("alone")));
  EXPECT_EQ(said.at("before"), said.at("alone"));
  EXPECT_EQ(said.at("unexplained"), "0");
  EXPECT_NE(said.at("differ"), "0");
  // By sacct's records of both, ann is behind as well.
  EXPECT_EQ(std::vector<std::string>(absl::StrSplit(said.at("records"), ' ')).back(),
            std::vector<std::string>(absl::StrSplit(said.at("ours"), ' ')).back());
}

}  // namespace
}  // namespace priorityd::slurm_frontend
