// What Simulate says would be is what is once it was done: on random sites, queues
// and suppositions, row for row.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/queue/replication/tracked_queues.h"
#include "storage/database/database.h"
#include "tests/server/service/random_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr int kJobs = 60;
constexpr int kRounds = 6;

enum Part { kPolicy = 1, kPartitions = 2, kShares = 4, kUsage = 8, kLater = 16 };

struct Case {
  const char* name;
  uint32_t seed;
  unsigned parts;
  const char* algorithm;
};

v1::SimulateResponse Simulate(TestService& service, const v1::SimulateRequest& request) {
  v1::SimulateResponse response;
  const grpc::Status status = CallUnary(service, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

std::string Priority(bool has, uint32_t priority) { return has ? absl::StrCat(priority) : "-"; }

// To ten digits: usage is summed in another order where it is really recorded.
std::string Text(const v1::PriorityFactors& f) {
  std::string text;
  for (const double value : {f.age(), f.assoc(), f.fair_share(), f.job_size(), f.partition(),
                             f.qos(), f.site(), f.nice()}) {
    absl::StrAppendFormat(&text, "%.10g ", value);
  }
  const std::map<std::string, double> tres(f.tres().begin(), f.tres().end());
  for (const auto& [name, value] : tres) absl::StrAppendFormat(&text, "%s %.10g ", name, value);
  return text;
}

// A ranking's rows as text: ranked ones in order, then the others by job.
using Rows = std::vector<std::string>;

template <typename Row>
std::string RowText(const Row& row, const std::string& rank, const std::string& reason) {
  return absl::StrCat(rank, " ", row.job_id(), " ", row.partition(), " ", row.qos(), " ",
                      row.user(), " ", row.account(), " ",
                      Priority(row.has_priority(), row.priority()), " ", reason, " ",
                      Text(row.contributions()));
}

Rows RowsOf(const v1::RankJobsResponse& response) {
  Rows rows;
  std::map<std::string, std::string> ineligible;
  for (const auto& row : response.ranked())
    rows.push_back(RowText(row, absl::StrCat(row.rank()), ""));
  for (const auto& row : response.ineligible()) {
    ineligible[row.job_id()] = RowText(row, "0", row.reason());
  }
  for (const auto& [job, text] : ineligible) rows.push_back(text);
  return rows;
}

// The rows that a simulation supposes.
Rows RowsAfter(const v1::SimulateResponse& response) {
  Rows rows;
  std::map<std::string, std::string> ineligible;
  for (const v1::SimulatedRow& row : response.rows()) {
    if (!row.has_after()) continue;
    v1::IneligibleJob as_ranked;
    as_ranked.set_job_id(row.job_id());
    as_ranked.set_partition(row.partition());
    as_ranked.set_qos(row.qos());
    as_ranked.set_user(row.user());
    as_ranked.set_account(row.account());
    if (row.after().has_priority()) as_ranked.set_priority(row.after().priority());
    *as_ranked.mutable_contributions() = row.after().contributions();
    const std::string text =
        RowText(as_ranked, absl::StrCat(row.after().rank()), row.after().ineligible_reason());
    if (row.after().rank() > 0) {
      rows.push_back(text);
    } else {
      ineligible[row.job_id()] = text;
    }
  }
  for (const auto& [job, text] : ineligible) rows.push_back(text);
  return rows;
}

// The place of each job, without the pair, which only the rows after have.
using Places = std::multiset<std::tuple<std::string, uint32_t, std::string, std::string>>;

Places PlacesOf(const v1::RankJobsResponse& response) {
  Places places;
  for (const auto& row : response.ranked()) {
    places.insert({row.job_id(), row.rank(), Priority(row.has_priority(), row.priority()), ""});
  }
  for (const auto& row : response.ineligible()) {
    places.insert({row.job_id(), 0, Priority(row.has_priority(), row.priority()), row.reason()});
  }
  return places;
}

Places PlacesBefore(const v1::SimulateResponse& response) {
  Places places;
  for (const v1::SimulatedRow& row : response.rows()) {
    if (!row.has_before()) continue;
    const v1::SimulatedPlace& place = row.before();
    places.insert({row.job_id(), place.rank(), Priority(place.has_priority(), place.priority()),
                   place.ineligible_reason()});
  }
  return places;
}

class SimulatePropertyTest : public ::testing::TestWithParam<Case> {
 protected:
  SimulatePropertyTest() : site_(GetParam().seed) {
    service_.SetNow(TestEpoch() + absl::Hours(24 * 300));
    v1::ImportRequest site;
    const std::string policy = site_.Policy(GetParam().algorithm);
    incr_only_ = IsIncrOnly(policy);
    AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
            absl::StrCat("ClusterName=c\n", policy, site_.Partitions()), &site);
    AddFile(v1::FILE_KIND_QOS, "qos.txt", site_.Qos(), &site);
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", site_.Dump(), &site);
    Import(service_, site);
    RecalculateAt(now_);
    v1::UpdateJobsRequest jobs;
    for (int i = 0; i < kJobs; ++i) {
      *jobs.add_upserts() = site_.Job(absl::StrCat(i), now_);
      *queue_.add_jobs() = site_.Job(absl::StrCat("inline", i), now_);
    }
    UpdateJobs(service_, jobs);
  }

  static bool IsIncrOnly(const std::string& policy) {
    return absl::StrContains(policy, "INCR_ONLY");
  }

  bool Has(Part part) const { return (GetParam().parts & part) != 0; }

  void RecalculateAt(absl::Time time) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(time);
    Recalculate(service_, request);
    // Previous priorities move with it.
    const absl::Status followed = service_.queues().ReadChanges();
    EXPECT_TRUE(followed.ok()) << followed;
    now_ = time;
  }

  // The next hours of the site, some of it known already, or not in a snapshot yet.
  void GoOn() {
    v1::RecordUsageRequest usage;
    for (int i = 0; i < 40; ++i) {
      *usage.add_records() = site_.Usage(absl::StrCat("r", ++records_), now_ + absl::Hours(2));
    }
    EXPECT_EQ(RecordUsage(service_, usage).accepted(), 40);
    if (site_.OneIn(2)) RecalculateAt(now_ + absl::Minutes(site_.Below(100)));
    as_of_ = now_ + absl::Minutes(site_.Below(200));
  }

  v1::SimulateRequest AnySupposition() {
    v1::SimulateRequest request;
    request.set_view(v1::RANK_VIEW_FULL);
    *request.mutable_as_of() = ToTimestamp(as_of_);
    if (Has(kPolicy) || Has(kPartitions)) {
      request.set_policy_text(absl::StrCat(site_.Policy(GetParam().algorithm),
                                           Has(kPartitions) ? site_.Partitions() : ""));
    }
    std::set<size_t> named;
    for (int n = Has(kShares) ? 4 : 0; n > 0; --n) {
      const size_t i = site_.Below(site_.associations().size());
      if (named.insert(i).second) SupposeShares(site_.associations()[i], &request);
    }
    for (int n = Has(kUsage) ? 4 : 0; n > 0; --n) SupposeUsage(&request);
    if (request.has_policy_text()) incr_only_ = IsIncrOnly(request.policy_text());
    if (Has(kLater) && !(incr_only_ && request.has_policy_text())) {
      *request.mutable_later() = ToTimestamp(as_of_ + absl::Minutes(site_.Below(2000)));
    }
    return request;
  }

  void SupposeShares(RandomSite::Association& association, v1::SimulateRequest* request) {
    v1::SupposedShares* shares = request->add_shares();
    shares->set_account(association.account);
    shares->set_user(association.user);
    shares->set_partition(association.partition);
    association.shares = site_.AnyShares();
    uint32_t number = 0;
    if (absl::SimpleAtoi(association.shares, &number)) {
      shares->set_raw_shares(number);
    } else {
      shares->set_parent_shares(true);
    }
  }

  void SupposeUsage(v1::SimulateRequest* request) {
    const RandomSite::Association& association = site_.AnyAssociation();
    v1::SupposedUsage* usage = request->add_usage();
    usage->set_account(association.account);
    usage->set_user(association.user);
    usage->set_partition(association.partition);
    usage->set_usage(site_.Below(100000));
    v1::UsageRecord* record = usage_.add_records();
    *record = Usage(absl::StrCat("r", ++records_), as_of_ - absl::Microseconds(1),
                    absl::Microseconds(1), 0);
    record->clear_tres();
    record->set_account(association.account);
    record->set_user(association.user);
    record->set_partition(association.partition);
    record->set_billing(usage->usage() * 1e6 / association.usage_factor);
  }

  // Does what was supposed.
  void Apply(const v1::SimulateRequest& request) {
    if (request.has_policy_text()) {
      v1::ApplyPolicyRequest policy;
      policy.set_text(request.policy_text());
      ApplyPolicy(service_, policy);
    }
    if (request.shares_size() > 0) {
      v1::ImportRequest shares;
      AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", site_.Dump(), &shares);
      EXPECT_EQ(Import(service_, shares).associations().created(), 0);
    }
    if (usage_.records_size() > 0) {
      EXPECT_EQ(RecordUsage(service_, usage_).accepted(), usage_.records_size());
      usage_.Clear();
    }
    // Under INCR_ONLY it would raise what priorities may not fall below, which is not
    // supposed.
    if (request.has_later() && !incr_only_) RecalculateAt(as_of_);
    RecalculateAt(TimeSupposed(request));
  }

  absl::Time TimeSupposed(const v1::SimulateRequest& request) const {
    if (!request.has_later()) return as_of_;
    return absl::FromUnixSeconds(request.later().seconds()) +
           absl::Nanoseconds(request.later().nanos());
  }

  v1::RankJobsResponse RankAt(bool tracked, absl::Time time) {
    v1::RankJobsRequest request;
    if (tracked) {
      request.mutable_tracked();
    } else {
      *request.mutable_jobs() = queue_;
    }
    request.set_view(v1::RANK_VIEW_FULL);
    *request.mutable_as_of() = ToTimestamp(time);
    return RankJobs(service_, request);
  }

  // All that a client can see, and what the database has.
  std::string World() {
    v1::Policy policy;
    EXPECT_TRUE(CallUnary(service_, v1::GetPolicyRequest(), &policy).ok());
    std::string world =
        absl::StrCat(RankAt(true, as_of_).DebugString(), ListShares(service_).DebugString(),
                     policy.DebugString(), ListJobs(service_).DebugString());
    for (const char* table :
         {"association", "association_usage", "qos_usage", "audit_event", "policy_version",
          "snapshot", "half_life", "partition", "cluster", "job", "usage_record"}) {
      world += Digest(table);
    }
    return world;
  }

  std::string Digest(const std::string& table) {
    const std::string statement = absl::StrCat(
        "SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM priorityd.", table, " t");
    const auto digest = service_.database().Read([&](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<std::string>, statement);
    });
    EXPECT_TRUE(digest.ok()) << digest.status();
    return digest.value_or("");
  }

  TestService service_;
  RandomSite site_;
  v1::InlineJobs queue_;
  v1::RecordUsageRequest usage_;  // The supposed usage as records.
  absl::Time now_ = TestEpoch() + absl::Hours(20);
  absl::Time as_of_;
  int records_ = 0;
  bool incr_only_ = false;  // The policy in force, or supposed.
};

TEST_P(SimulatePropertyTest, TheRankingSupposedIsTheRankingAfterApplying) {
  int moved = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    GoOn();
    v1::SimulateRequest request = AnySupposition();
    const std::string world = World();
    std::vector<v1::SimulateResponse> simulated;
    for (const bool tracked : {true, false}) {
      if (tracked) {
        request.mutable_tracked();
      } else {
        *request.mutable_jobs() = queue_;
      }
      simulated.push_back(Simulate(service_, request));
      EXPECT_EQ(PlacesBefore(simulated.back()), PlacesOf(RankAt(tracked, as_of_)));
      moved += static_cast<int>(simulated.back().moved_up() + simulated.back().moved_down());
    }
    EXPECT_EQ(World(), world);
    Apply(request);
    for (const bool tracked : {true, false}) {
      EXPECT_EQ(RowsAfter(simulated[tracked ? 0 : 1]),
                RowsOf(RankAt(tracked, TimeSupposed(request))));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(moved, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulatePropertyTest,
    ::testing::Values(Case{"Policy", 1, kPolicy, ""}, Case{"Partitions", 2, kPartitions, ""},
                      Case{"Shares", 3, kShares, "fair_tree"},
                      Case{"SharesClassic", 4, kShares, "classic"},
                      Case{"Usage", 5, kUsage, "fair_tree"},
                      Case{"UsageClassic", 6, kUsage, "classic"}, Case{"Later", 7, kLater, ""},
                      Case{"Nothing", 8, 0, ""}, Case{"AllFairTree", 9, 31, "fair_tree"},
                      Case{"AllClassic", 10, 31, "classic"}, Case{"All", 11, 31, ""},
                      Case{"AllOtherwise", 12, 31, ""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace priorityd::rpc
