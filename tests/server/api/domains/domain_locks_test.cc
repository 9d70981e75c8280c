// Changes of the same clusters at the same time: each waits for the other, in one order of locks.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/domain_site.h"
#include "tests/storage/held_lock.h"

namespace priorityd::rpc {
namespace {

class DomainLocksTest : public DomainSite {
 protected:
  using Change = std::function<void(grpc::Status*)>;

  // The outcomes of changes that wait for the cluster, in this order. They must not meet in a
  // deadlock.
  std::vector<grpc::Status> OutcomesBehind(const std::string& held,
                                           const std::vector<Change>& changes) {
    storage::HeldLock lock(service_.database_url(),
                           absl::StrCat("SELECT pg_advisory_xact_lock(7412, id) FROM "
                                        "priorityd.cluster WHERE name = '",
                                        held, "'"));
    const int64_t conflicts = service_.database().Activity().conflicts;
    std::vector<std::future<grpc::Status>> running;
    for (const Change& change : changes) {
      running.push_back(std::async(std::launch::async, [change] {
        grpc::Status status;
        change(&status);
        return status;
      }));
      lock.AwaitWaiters(static_cast<int>(running.size()));
    }
    lock.Release();
    std::vector<grpc::Status> outcomes;
    for (auto& change : running) outcomes.push_back(change.get());
    EXPECT_EQ(service_.database().Activity().conflicts, conflicts);
    return outcomes;
  }

  Change JoinOf(const std::string& domain, const std::string& cluster) {
    v1::UpdateDomainRequest request;
    request.set_cluster(domain);
    request.add_join(cluster);
    return [this, request](grpc::Status* status) { Update(request, status); };
  }

  static std::string ReasonOf(const grpc::Status& status) { return DetailsOf(status).reason; }
};

TEST_F(DomainLocksTest, OfTwoClustersThatJoinEachOtherAtTheSameTimeTheFirstOneJoins) {
  const auto outcomes = OutcomesBehind("beta", {JoinOf("beta", "alpha"), JoinOf("alpha", "beta")});
  EXPECT_TRUE(outcomes[0].ok()) << outcomes[0].error_message();
  EXPECT_EQ(ReasonOf(outcomes[1]), "DOMAIN_NESTED") << outcomes[1].error_message();
}

TEST_F(DomainLocksTest, ADomainThatJoinsADomainWhichJoinsItIsRefusedAsItIs) {
  Join({"alpha"});
  const auto outcomes = OutcomesBehind("beta", {JoinOf("beta", "site"), JoinOf("site", "beta")});
  EXPECT_EQ(ReasonOf(outcomes[0]), "DOMAIN_NESTED") << outcomes[0].error_message();
  EXPECT_TRUE(outcomes[1].ok()) << outcomes[1].error_message();
}

TEST_F(DomainLocksTest, AMergeAndAChangeOfMembersThatAreOlderThanTheDomainWaitForEachOther) {
  ImportCluster("delta", "PriorityDecayHalfLife=1:0:0\n");
  for (const char* member : {"alpha", "beta"}) JoinOf("delta", member)(nullptr);
  v1::MergeUsersRequest merge;
  merge.set_cluster("delta");
  merge.set_from_user("ben");
  merge.set_into_user("amy");
  merge.set_with_members(true);
  v1::UpdateDomainRequest leave;
  leave.set_cluster("delta");
  leave.add_leave("beta");
  const auto outcomes = OutcomesBehind(
      "delta", {[&](grpc::Status* status) { Asked<v1::ChangeResponse>(merge, status); },
                [&](grpc::Status* status) { Update(leave, status); }});
  EXPECT_TRUE(outcomes[0].ok()) << outcomes[0].error_message();
  EXPECT_TRUE(outcomes[1].ok()) << outcomes[1].error_message();
}

}  // namespace
}  // namespace priorityd::rpc
