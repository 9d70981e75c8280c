// Random sites, queues and changes of both, as the files and requests that a client
// sends; full of ties, `parent` shares, limits and jobs that cannot start.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_SITE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

class RandomSite {
 public:
  struct Association {
    std::string account;
    std::string user;         // Empty = the account itself.
    std::string partition;    // Empty = none.
    std::string parent;       // Of an account.
    std::string shares;       // As in a dump: a number, or `parent`.
    std::string options;      // Further ones of its line, each with a colon before it.
    double usage_factor = 1;  // Of its default QOS.
  };

  explicit RandomSite(uint32_t seed) : random_(seed) { DrawTree(); }

  int Below(int n) { return static_cast<int>(random_() % n); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  T Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int>(choices.size()))];
  }

  std::vector<Association>& associations() { return associations_; }
  Association& AnyAssociation() { return associations_[Below(associations_.size())]; }
  std::string AnyShares() { return Of<std::string>({"0", "1", "1", "2", "5", "parent"}); }

  // The parameters of a slurm.conf, on a manual clock; `algorithm` empty = any.
  std::string Policy(const std::string& algorithm = "") {
    std::string text = "Clock=manual\nTimeZone=UTC\nUsageHeadroom=UNLIMITED\n";
    for (const char* factor : {"Age", "Assoc", "JobSize", "Partition", "QOS"}) {
      absl::StrAppend(&text, "PriorityWeight", factor, "=", Of<int>({0, 10, 1000}), "\n");
    }
    absl::StrAppend(&text, "PriorityWeightFairshare=", Of<int>({1000, 100000}), "\n");
    if (OneIn(2)) absl::StrAppend(&text, "PriorityWeightTRES=CPU=100,Mem=50\n");
    absl::StrAppend(&text, "PriorityDecayHalfLife=", Of<std::string>({"1:0:0", "7:0:0", "7-0"}),
                    "\nPriorityUsageResetPeriod=",
                    Of<std::string>({"NONE", "NONE", "DAILY", "NOW", "0-5"}), "\n");
    absl::StrAppend(&text, "PriorityMaxAge=", Of<std::string>({"0", "2:0:0", "1-0"}),
                    "\nPriorityFavorSmall=", OneIn(3) ? "YES" : "NO", "\nFairShareAlgorithm=",
                    algorithm.empty() ? Of<std::string>({"fair_tree", "fair_tree", "classic",
                                                         "depth_oblivious", "linear"})
                                      : algorithm,
                    "\n");
    if (OneIn(2)) {
      absl::StrAppend(&text, "PriorityFlags=",
                      Of<std::string>({"INCR_ONLY", "ACCRUE_ALWAYS", "NO_NORMAL_ALL",
                                       "SMALL_RELATIVE_TO_TIME", "MAX_TRES"}),
                      "\n");
    }
    return text;
  }

  // Its nodes and partitions.
  std::string Partitions() {
    std::string text =
        absl::StrCat("NodeName=n[1-10] CPUs=", Of<int>({8, 16}), " RealMemory=1000\n");
    for (const char* name : {"main", "fast", "late"}) {
      if (std::string(name) == "late" && OneIn(2)) continue;
      absl::StrAppend(&text, "PartitionName=", name, " Nodes=n[1-", Of<int>({4, 10}),
                      "] Default=", std::string(name) == "main" ? "YES" : "NO",
                      " PriorityTier=", Below(2) + 1, " PriorityJobFactor=", Below(4),
                      std::string(name) == "late" ? " State=DOWN" : "",
                      OneIn(3) ? " MaxTime=60" : "",
                      OneIn(3) ? " TRESBillingWeights=CPU=1.0,Mem=0.01" : "", "\n");
    }
    return text;
  }

  std::string Qos() {
    return absl::StrCat("Name|Priority|UsageFactor|GrpTRESMins|Flags\nnormal|0|1||\ndouble|10|2|",
                        OneIn(2) ? "billing=4000" : "", "|", OneIn(2) ? "NoDecay" : "", "\n");
  }

  // The associations as `sacctmgr dump` writes them.
  std::string Dump() const {
    std::string text = "Cluster - 'c':Fairshare=1:QOS='normal,double'\n";
    for (const std::string& parent : Parents()) {
      absl::StrAppend(&text, "Parent - '", parent, "'\n");
      for (const Association& a : associations_) {
        const bool is_user = !a.user.empty();
        if ((is_user ? a.account : a.parent) != parent) continue;
        absl::StrAppend(&text, is_user ? "User" : "Account", " - '", is_user ? a.user : a.account,
                        "'", a.partition.empty() ? "" : ":Partition='" + a.partition + "'",
                        is_user ? ":DefaultAccount='" + FirstAccountOf(a.user) + "'" : "",
                        ":Fairshare=", a.shares, a.options, "\n");
      }
    }
    return text;
  }

  v1::Job Job(const std::string& id, absl::Time now) {
    v1::Job job;
    job.set_job_id(id);
    const Association& owner = AnyAssociation();
    job.set_user(owner.user.empty() ? "nobody" : owner.user);
    if (!OneIn(5)) job.set_account(owner.account);
    for (int n = Below(3); n > 0; --n)
      job.add_partitions(Of<std::string>({"main", "fast", "late"}));
    if (OneIn(2)) job.add_qos(Of<std::string>({"normal", "double"}));
    job.set_nodes(Below(5));
    job.set_cpus(1 + Below(16));
    if (OneIn(2)) (*job.mutable_tres())["mem"] = 100 * Below(9);
    const auto soon = [&](int from, int to) {
      return ToTimestamp(now + absl::Minutes(from + Below(to - from)));
    };
    *job.mutable_submit_time() = soon(-600, 0);
    if (OneIn(4)) *job.mutable_eligible_time() = soon(-100, 400);
    if (!OneIn(4)) job.mutable_time_limit()->set_seconds(60 * (1 + Below(100)));
    if (OneIn(8)) job.set_hold(v1::HOLD_USER);
    if (OneIn(12)) job.set_dependency_unmet(true);
    if (OneIn(5)) job.set_nice(Below(200) - 100);
    if (OneIn(20)) job.set_admin_priority(Below(3));
    if (OneIn(8)) {
      job.set_state(v1::JOB_STATE_RUNNING);
      *job.mutable_start_time() = soon(-100, 0);
    }
    return job;
  }

  v1::UsageRecord Usage(const std::string& id, absl::Time now) {
    const Association& owner = AnyAssociation();
    v1::UsageRecord record =
        rpc::Usage(id, now - absl::Minutes(Below(900)), absl::Minutes(Below(200)), 1 + Below(8));
    record.set_account(owner.account);
    record.set_user(owner.user);
    record.set_partition(owner.partition);
    if (OneIn(3)) record.set_qos("double");
    return record;
  }

 private:
  void DrawTree() {
    std::vector<std::string> accounts = {"root"};
    for (int i = 0; i < 7; ++i) {
      const std::string name = absl::StrCat("a", i);
      associations_.push_back({name, "", "", Of(accounts), AnyShares(), AnyOptions(false)});
      accounts.push_back(name);
    }
    for (int i = 0; i < 14; ++i) {
      const std::string user = absl::StrCat("u", i % 12);
      Association association{Of(accounts), user, "", "", AnyShares(), AnyOptions(true)};
      const bool is_there =
          std::any_of(associations_.begin(), associations_.end(), [&](const Association& other) {
            return other.account == association.account && other.user == user;
          });
      if (is_there) continue;
      if (OneIn(4)) {
        association.options += ":DefaultQOS='double'";
        association.usage_factor = 2;
      }
      associations_.push_back(association);
      if (!OneIn(5)) continue;
      association.partition = "fast";
      associations_.push_back(association);
    }
  }

  std::string AnyOptions(bool is_user) {
    std::string options;
    if (OneIn(4)) absl::StrAppend(&options, ":Priority=", Below(50));
    if (OneIn(8)) absl::StrAppend(&options, ":GrpTRESMins=billing=", Of<int>({500, 50000}));
    if (is_user && OneIn(5)) absl::StrAppend(&options, ":MaxJobsAccrue=", 1 + Below(2));
    return options;
  }

  std::vector<std::string> Parents() const {
    std::vector<std::string> parents = {"root"};
    for (const Association& association : associations_) {
      if (association.user.empty()) parents.push_back(association.account);
    }
    return parents;
  }

  std::string FirstAccountOf(const std::string& user) const {
    return std::find_if(associations_.begin(), associations_.end(),
                        [&](const Association& a) { return a.user == user; })
        ->account;
  }

  std::mt19937 random_;
  std::vector<Association> associations_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_SITE_H_
