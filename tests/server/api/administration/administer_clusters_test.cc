#include "server/api/administration/administer_clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "server/queue/replication/tracked_queues.h"
#include "storage/configuration/cluster_deletion.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class AdministerClustersTest : public ::testing::Test {
 protected:
  AdministerClustersTest() { Import(service_, SmallSite()); }

  void AddCluster(const std::string& name, uint32_t nodes) {
    v1::UpdateClusterRequest request;
    request.mutable_cluster()->set_name(name);
    request.mutable_cluster()->set_nodes(nodes);
    request.set_allow_missing(true);
    v1::Cluster response;
    ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  }
  v1::ListClustersResponse List(const v1::ListClustersRequest& request = {}) {
    v1::ListClustersResponse response;
    status_ = CallUnary(service_, request, &response);
    EXPECT_TRUE(status_.ok()) << status_.error_message();
    return response;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(AdministerClustersTest, ClustersAreListedByNameWithTheirTotals) {
  AddCluster("b", 7);
  const v1::ListClustersResponse all = List();
  ASSERT_EQ(all.clusters_size(), 2);
  EXPECT_EQ(all.clusters(0).name(), "b");
  EXPECT_EQ(all.clusters(0).nodes(), 7u);
  EXPECT_EQ(all.clusters(1).name(), "c");
  EXPECT_EQ(all.clusters(1).nodes(), 10u);
  EXPECT_EQ(all.clusters(1).cpus(), 100);
  v1::ListClustersRequest request;
  request.add_names("c");
  request.add_names("nowhere");
  ASSERT_EQ(List(request).clusters_size(), 1);
  EXPECT_EQ(List(request).clusters(0).name(), "c");
}

// A site with a policy, usage and tracked jobs, that another replica serves too.
class DeleteClusterTest : public AdministerClustersTest {
 protected:
  DeleteClusterTest() {
    Recalculate(service_);
    v1::RecordUsageRequest records;
    records.set_cluster("c");
    *records.add_records() = Usage("r1", TestEpoch() - absl::Hours(5), absl::Hours(1), 4);
    *records.add_records() = Usage("r2", TestEpoch() - absl::Hours(5), absl::Hours(2), 4);
    RecordUsage(service_, records);
    Track(service_, "1", &status_);
    EXPECT_TRUE(status_.ok()) << status_.error_message();
    AddCluster("other", 3);
  }

  static void Track(TestService& service, const std::string& job, grpc::Status* status) {
    v1::UpdateJobsRequest request;
    request.set_cluster("c");
    request.set_source("test");
    v1::Job* upsert = request.add_upserts();
    upsert->set_job_id(job);
    upsert->set_user("amy");
    upsert->set_account("a");
    UpdateJobs(service, request, status);
  }
  v1::DeleteClusterResponse Delete(const std::string& name, bool validate_only = false,
                                   bool purge = false) {
    v1::DeleteClusterRequest request;
    request.set_name(name);
    request.set_validate_only(validate_only);
    request.set_purge(purge);
    v1::DeleteClusterResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::DeleteClusterResponse Purge(const std::string& name) {
    return Delete(name, /*validate_only=*/false, /*purge=*/true);
  }
  v1::Cluster Restore(const std::string& name) {
    v1::RestoreClusterRequest request;
    request.set_name(name);
    v1::Cluster response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  v1::ListSharesResponse SharesOfC(TestService& service) {
    v1::ListSharesRequest request;
    request.set_cluster("c");
    return ListShares(service, request, &status_);
  }
  std::string Names() {
    std::string names;
    const v1::ListClustersResponse list = List();
    for (const v1::Cluster& cluster : list.clusters()) names += cluster.name() + " ";
    return names;
  }
  // `table: rows` of those that have rows of clusters that are no more.
  std::string Left() {
    std::string left;
    for (const std::string& table : storage::ClusterDeletion::Tables()) {
      if (table == "audit_event") continue;
      const auto rows = service_.database().Write([&](storage::Transaction& transaction) {
        return transaction.Execute("SELECT FROM priorityd." + table +
                                   " t WHERE NOT EXISTS (SELECT FROM priorityd.cluster c "
                                   "WHERE c.id = t.cluster_id)");
      });
      if (!rows.ok() || *rows > 0) left += table + ": " + std::to_string(rows.value_or(-1)) + " ";
    }
    return left;
  }
  static void AwaitGone(TestService& service) {
    ASSERT_TRUE(Await([&] {
      grpc::Status status;
      v1::ListSharesRequest request;
      request.set_cluster("c");
      ListShares(service, request, &status);
      return status.error_code() == grpc::StatusCode::NOT_FOUND;
    }));
  }
};

TEST_F(DeleteClusterTest, ValidateOnlyReportsTheLoss) {
  const v1::DeleteClusterResponse gone = Delete("c", /*validate_only=*/true);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(gone.associations(), 6);  // root, a, b, amy, ben, cat
  EXPECT_EQ(gone.jobs(), 1);
  EXPECT_EQ(gone.records(), 2);
  EXPECT_EQ(Names(), "c other ");
}

TEST_F(DeleteClusterTest, WhatIsRestoredIsAsBeforeOnEveryReplica) {
  v1::RecalculateRequest of_c;
  of_c.set_cluster("c");
  Recalculate(service_, of_c);
  TestService other({.database_url = service_.database_url()});
  const double before = ShareOf(SharesOfC(service_), "a", "amy").raw_usage();
  ASSERT_GT(before, 0);
  const v1::DeleteClusterResponse gone = Delete("c");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_TRUE(gone.has_restorable_until());
  AwaitGone(service_);
  // Until the other replica follows, it has a snapshot of rows that are gone.
  EXPECT_TRUE(Await([&] {
    SharesOfC(other);
    return absl::StrContains(status_.error_message(), "which was deleted");
  }));
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_CLUSTER");
  EXPECT_THAT(
      status_.error_message(),
      testing::HasSubstr("which was deleted, want other; RestoreCluster restores it until"));
  EXPECT_EQ(Names(), "other ");
  v1::ListClustersRequest deleted;
  deleted.set_deleted(true);
  ASSERT_EQ(List(deleted).clusters_size(), 1);
  EXPECT_EQ(List(deleted).clusters(0).name(), "c");
  EXPECT_EQ(List(deleted).clusters(0).restorable_until().seconds(),
            gone.restorable_until().seconds());
  EXPECT_EQ(Restore("c").name(), "c");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  for (TestService* service : {&service_, &other}) {
    EXPECT_TRUE(Await([&] {
      const v1::ListSharesResponse shares = SharesOfC(*service);
      return status_.ok() && ShareOf(shares, "a", "amy").raw_usage() == before;
    })) << status_.error_message();
    EXPECT_TRUE(Await([&] {
      v1::ListJobsRequest jobs;
      jobs.set_cluster("c");
      return ListJobs(*service, jobs, &status_).jobs_size() == 1;
    })) << status_.error_message();
  }
  Recalculate(service_, of_c);
  Track(service_, "2", &status_);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(Names(), "c other ");
}

TEST_F(DeleteClusterTest, ItIsNotRestoredOverAnotherOfItsName) {
  Delete("c");
  AwaitGone(service_);
  Import(service_, SmallSite());
  Restore("c");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status_).reason, "NAME_TAKEN");
  Delete("c");
  Restore("c");
  EXPECT_TRUE(status_.ok()) << status_.error_message();
}

TEST_F(DeleteClusterTest, AfterItsTimeTheServiceDeletesTheRows) {
  Delete("c");
  ASSERT_TRUE(service_.database()
                  .Write([](storage::Transaction& transaction) {
                    return transaction.Execute(
                        "UPDATE priorityd.deleted_cluster SET restorable_until = now()");
                  })
                  .ok());
  EXPECT_TRUE(Await([&] {
    const auto begun = service_.database().Read([](storage::Transaction& transaction) {
      return storage::ClusterDeletion(transaction).FindHidden("c");
    });
    return begun.ok() && begun->empty();
  }));
  EXPECT_EQ(Left(), "");
  Restore("c");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(DeleteClusterTest, NothingOfAPurgedOneIsLeftAndTheOthersStay) {
  const v1::DeleteClusterResponse gone = Purge("c");
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(gone.records(), 2);
  EXPECT_EQ(Left(), "");
  EXPECT_EQ(Names(), "other ");
}

TEST_F(DeleteClusterTest, WhatComesForItMeanwhileIsNotFound) {
  Delete("c");
  v1::RecordUsageRequest records;
  records.set_cluster("c");
  *records.add_records() = Usage("r3", TestEpoch() - absl::Hours(5), absl::Hours(1), 4);
  RecordUsage(service_, records, &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND) << status_.error_message();
  Track(service_, "2", &status_);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND) << status_.error_message();
  EXPECT_EQ(Left(), "");
}

TEST_F(DeleteClusterTest, EveryReplicaForgetsIt) {
  TestService other({.database_url = service_.database_url()});
  v1::ListSharesRequest request;
  request.set_cluster("c");
  ListShares(other, request);
  Delete("c");
  AwaitGone(service_);
  AwaitGone(other);
  EXPECT_TRUE(Await([&] {
    return !service_.queues().Loaded().contains("c") && !other.queues().Loaded().contains("c");
  }));
}

TEST_F(DeleteClusterTest, AnotherOfItsNameStartsEmpty) {
  Delete("c");
  AwaitGone(service_);
  Import(service_, SmallSite());
  v1::RecalculateRequest recalculate;
  recalculate.set_cluster("c");
  EXPECT_GE(Recalculate(service_, recalculate).generation(), 1);
  v1::ListSharesRequest shares;
  shares.set_cluster("c");
  EXPECT_EQ(ShareOf(ListShares(service_, shares), "a", "amy").raw_usage(), 0);
  v1::ListJobsRequest jobs;
  jobs.set_cluster("c");
  EXPECT_EQ(ListJobs(service_, jobs).jobs_size(), 0);
  Track(service_, "9", &status_);
  EXPECT_TRUE(status_.ok()) << status_.error_message();
  EXPECT_EQ(ListJobs(service_, jobs).jobs_size(), 1);
  v1::RecordUsageRequest records;
  records.set_cluster("c");
  *records.add_records() = Usage("r1", TestEpoch() - absl::Hours(5), absl::Hours(1), 4);
  EXPECT_EQ(RecordUsage(service_, records).accepted(), 1);
}

TEST_F(DeleteClusterTest, ADeletionThatWasCutShortIsFinishedByTheService) {
  ASSERT_TRUE(service_.database()
                  .Write([](storage::Transaction& transaction) -> absl::Status {
                    auto cluster = storage::ClusterStore(transaction).Require("c");
                    if (!cluster.ok()) return cluster.status();
                    storage::ClusterDeletion deletion(transaction);
                    auto hidden = deletion.Hide(cluster->id, absl::ZeroDuration());
                    if (!hidden.ok()) return hidden.status();
                    if (auto s = deletion.Begin(cluster->id); !s.ok()) return s.status();
                    return deletion.DeleteSome(cluster->id, 1).status();
                  })
                  .ok());
  EXPECT_EQ(Names(), "other ");
  EXPECT_TRUE(Await([&] {
    const auto begun = service_.database().Read([](storage::Transaction& transaction) {
      return storage::ClusterDeletion(transaction).ListBegun();
    });
    return begun.ok() && begun->empty();
  }));
  EXPECT_EQ(Left(), "");
  Delete("c");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(DeleteClusterTest, TheAuditKeepsThatItWasDeleted) {
  Delete("c");
  AwaitGone(service_);
  v1::ListAuditEventsRequest request;
  request.set_cluster("c");
  v1::ListAuditEventsResponse response;
  ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  ASSERT_EQ(response.events_size(), 1);
  EXPECT_EQ(response.events(0).action(), "DeleteCluster");
  EXPECT_EQ(response.events(0).object(), "cluster c");
  EXPECT_EQ(response.events(0).before(), "6 associations, 1 jobs, 2 usage records");
}

TEST_F(DeleteClusterTest, AClusterThatIsNotThereIsNotFound) {
  Delete("nowhere");
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_CLUSTER");
  Delete("");
  EXPECT_EQ(DetailsOf(status_).Fields(), "name");
}

}  // namespace
}  // namespace priorityd::rpc
