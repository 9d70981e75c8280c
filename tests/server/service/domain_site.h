// A usage domain `site` and clusters `alpha` and `beta` with the tree of SmallSite, on manual
// clocks and with other half-lives.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_DOMAIN_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_DOMAIN_SITE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "priority/v1/domain.pb.h"
#include "storage/database/database.h"
#include "tests/server/service/test_service.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {

// Calls must succeed unless `status` is given.
class DomainSite : public ::testing::Test {
 protected:
  using Names = std::vector<std::string>;

  DomainSite() {
    ImportCluster("site", "PriorityDecayHalfLife=2:0:0\n");
    ImportCluster("alpha", "PriorityDecayHalfLife=5:0:0\n");
    ImportCluster("beta", "PriorityDecayHalfLife=0:30:0\n");
    for (const char* cluster : {"site", "alpha", "beta"}) RecalculateAt(cluster, TestEpoch());
  }

  void ImportCluster(const std::string& cluster, const std::string& policy) {
    v1::ImportRequest request =
        SmallSite(absl::StrCat("Clock=manual\nPriorityWeightFairshare=1000\n", policy));
    for (auto& file : *request.mutable_files()) {
      file.set_content(absl::StrReplaceAll(
          file.content(), {{"ClusterName=c\n", absl::StrCat("ClusterName=", cluster, "\n")},
                           {"Cluster - 'c'", absl::StrCat("Cluster - '", cluster, "'")}}));
    }
    Import(service_, request);
  }

  void RecalculateAt(const std::string& cluster, absl::Time time) {
    v1::RecalculateRequest request;
    request.set_cluster(cluster);
    *request.mutable_as_of() = ToTimestamp(time);
    Recalculate(service_, request);
  }
  // The domain, then its members.
  void RecalculateAllAt(absl::Time time) {
    for (const char* cluster : {"site", "alpha", "beta"}) RecalculateAt(cluster, time);
  }

  v1::ChangeResponse Update(const v1::UpdateDomainRequest& request,
                            grpc::Status* status = nullptr) {
    return Asked<v1::ChangeResponse>(request, status);
  }
  v1::ChangeResponse Join(const Names& clusters, const std::map<std::string, double>& prices = {},
                          grpc::Status* status = nullptr) {
    v1::UpdateDomainRequest request;
    request.set_cluster("site");
    for (const std::string& cluster : clusters) request.add_join(cluster);
    request.mutable_prices()->insert(prices.begin(), prices.end());
    return Update(request, status);
  }
  v1::ChangeResponse Leave(const std::string& cluster, grpc::Status* status = nullptr) {
    v1::UpdateDomainRequest request;
    request.set_cluster("site");
    request.add_leave(cluster);
    return Update(request, status);
  }
  v1::DomainMember MemberOf(const std::string& cluster) {
    const auto list = Asked<v1::ListDomainsResponse>(v1::ListDomainsRequest(), nullptr);
    for (const v1::DomainMember& member : list.members()) {
      if (member.cluster() == cluster) return member;
    }
    ADD_FAILURE() << cluster << " is no member";
    return {};
  }

  // One record; `replaces` may be empty.
  void Record(const std::string& cluster, const v1::UsageRecord& record) {
    v1::RecordUsageRequest request;
    request.set_cluster(cluster);
    *request.add_records() = record;
    const v1::RecordUsageResponse response = RecordUsage(service_, request);
    EXPECT_EQ(response.accepted(), 1) << response.ShortDebugString();
  }

  v1::ListSharesResponse SharesOf(const std::string& cluster) {
    return SharesOf(service_, cluster);
  }
  static v1::ListSharesResponse SharesOf(TestService& service, const std::string& cluster) {
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    return ListShares(service, request);
  }
  double UsageIn(const std::string& cluster, const std::string& account,
                 const std::string& user = "") {
    return ShareOf(SharesOf(cluster), account, user).raw_usage();
  }
  double FairShareIn(const std::string& cluster, const std::string& account,
                     const std::string& user) {
    return ShareOf(SharesOf(cluster), account, user).fair_share();
  }
  // Usage of the domain by the definition.
  static double Naive(const std::vector<Stretch>& stretches, absl::Time at) {
    return NaiveUsage(stretches, {{absl::InfinitePast(), absl::Hours(2)}}, absl::InfinitePast(),
                      at);
  }

  void Execute(const char* statement) {
    const absl::Status status = service_.database().Write(
        [&](storage::Transaction& t) { return t.Execute(statement).status(); });
    EXPECT_TRUE(status.ok()) << status;
  }

  // The only column of the only row.
  std::string Text(const char* statement) {
    return service_.database()
        .Read([&](storage::Transaction& t) {
          return t.QueryOne(storage::OnlyColumn<std::string>, statement);
        })
        .value();
  }

  // In an account that exists.
  void AddUser(const std::string& cluster, const std::string& account, const std::string& user) {
    v1::CreateAssociationsRequest request;
    request.set_cluster(cluster);
    v1::NewAssociation* added = request.add_associations();
    added->set_account(account);
    added->set_user(user);
    Asked<v1::ChangeResponse>(request, nullptr);
  }

  template <typename Response, typename Request>
  Response Asked(const Request& request, grpc::Status* status) {
    return AnswerTo<Response>(service_, request, status);
  }

  TestService service_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_DOMAIN_SITE_H_
