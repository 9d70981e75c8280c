#include "server/usage/price_book.h"

#include <gtest/gtest.h>

#include "server/configuration/stored_rows.h"
#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

class PriceBookTest : public ::testing::Test {
 protected:
  Price PriceOf(const UsageSubmission& record) {
    auto price = book_->PriceOf(record);
    if (Rejection* rejection = std::get_if<Rejection>(&price)) ADD_FAILURE() << rejection->message;
    return std::holds_alternative<Price>(price) ? std::get<Price>(price) : Price();
  }
  RejectionReason ReasonOf(const UsageSubmission& record) {
    auto price = book_->PriceOf(record);
    EXPECT_TRUE(std::holds_alternative<Rejection>(price));
    return std::holds_alternative<Rejection>(price) ? std::get<Rejection>(price).reason
                                                    : RejectionReason::kMissingField;
  }

  static std::unique_ptr<const priority::Snapshot> SnapshotOf(const storage::ClusterState& state) {
    priority::SnapshotSource source;
    source.tree = configuration::BuildTree(state.associations).value();
    source.own_usage.resize(source.tree->size());
    source.default_accounts = configuration::DefaultAccountsOf(state.users);
    for (const auto& row : state.partitions) {
      source.partitions.push_back(configuration::ToEngine(row));
    }
    for (const auto& row : state.qos) source.qos.push_back(configuration::ToEngine(row));
    return priority::Snapshot::Compute(std::move(source));
  }

  std::shared_ptr<const PriceBook> book_ = BookOf(SmallSite());
  UsageSubmission record_ = Submission("1");
};

TEST_F(PriceBookTest, AUserPaysForItsCpusByCanonicalName) {
  const Price price = PriceOf(record_);
  EXPECT_EQ(price.association_id, kUser);
  EXPECT_EQ(price.qos_id, std::nullopt);
  EXPECT_EQ(price.billing_rate, 4);
  EXPECT_EQ(price.usage_factor, 1);
  EXPECT_EQ(price.tres, (priority::TresMap{{"cpu", 4}}));
}

TEST_F(PriceBookTest, WithoutAnAccountTheDefaultOneIsMeant) {
  record_.account = "";
  EXPECT_EQ(PriceOf(record_).association_id, kUser);
  record_.user = "ben";
  EXPECT_EQ(ReasonOf(record_), RejectionReason::kUnknownAccount);
}

TEST_F(PriceBookTest, WhatIsDeletedIsChargedToTheNearestLivingAncestor) {
  record_.account = "b";
  record_.user = "ben";
  EXPECT_EQ(PriceOf(record_).association_id, kRoot);
  record_.user = "";
  EXPECT_EQ(PriceOf(record_).association_id, kRoot);
}

TEST_F(PriceBookTest, NamesThatWereNeverThereAreRejected) {
  record_.user = "zoe";
  EXPECT_EQ(ReasonOf(record_), RejectionReason::kUnknownUser);
  record_.account = "z";
  EXPECT_EQ(ReasonOf(record_), RejectionReason::kUnknownAccount);
  UsageSubmission other = Submission("2");
  other.qos = "z";
  EXPECT_EQ(ReasonOf(other), RejectionReason::kUnknownQos);
  other = Submission("3");
  other.partition = "z";
  EXPECT_EQ(ReasonOf(other), RejectionReason::kUnknownPartition);
  other = Submission("4");
  other.tres = {{"z", 1}};
  EXPECT_EQ(ReasonOf(other), RejectionReason::kUnknownTres);
}

TEST_F(PriceBookTest, QosAndPartitionSetThePrice) {
  record_.qos = "half";
  record_.partition = "gpu";
  const Price price = PriceOf(record_);
  EXPECT_EQ(price.qos_id, kQos);
  EXPECT_EQ(price.usage_factor, 0.5);
  EXPECT_EQ(price.billing_rate, 40);
}

TEST_F(PriceBookTest, ADeletedQosPricesWhatStartedBeforeItsEnd) {
  record_.qos = "gone";
  EXPECT_EQ(ReasonOf(record_), RejectionReason::kUnknownQos);
  record_.start_time = kQosGoneAt - absl::Microseconds(1);
  EXPECT_EQ(PriceOf(record_).qos_id, kGoneQos);
  EXPECT_EQ(PriceOf(record_).usage_factor, 2);
}

TEST_F(PriceBookTest, WhoNamesNoQosPaysByTheDefaultOne) {
  storage::ClusterState state = SmallSite();
  state.qos.push_back({.id = 9, .name = "normal", .usage_factor = 3});
  book_ = BookOf(state);
  EXPECT_EQ(PriceOf(record_).qos_id, 9);
  EXPECT_EQ(PriceOf(record_).usage_factor, 3);
  state.associations[2].qos = {"half"};
  book_ = BookOf(state);
  EXPECT_EQ(PriceOf(record_).qos_id, kQos);
}

TEST_F(PriceBookTest, AdmitsWhoHasAnAssociationAndAQosOfItsList) {
  const auto empty = SnapshotOf({.associations = {{.id = kRoot, .account = "root"}}});
  priority::Job job;
  job.user = "amy";
  EXPECT_TRUE(book_->Admits(job, *empty));
  job.account = "a";
  job.qos = {"half"};
  EXPECT_TRUE(book_->Admits(job, *empty));
  job.qos = {"gone"};
  EXPECT_FALSE(book_->Admits(job, *empty));
  job.qos = {"gone", "half"};
  EXPECT_TRUE(book_->Admits(job, *empty));
  job.account = "b";
  job.user = "ben";  // Deleted; ben's usage is charged to root.
  EXPECT_FALSE(book_->Admits(job, *empty));
  storage::ClusterState state = SmallSite();
  state.qos.push_back({.id = 9, .name = "normal"});
  state.associations[2].qos = {"normal", "low"};
  book_ = BookOf(state);
  job.user = "amy";
  job.account = "a";
  EXPECT_FALSE(book_->Admits(job, *empty));
  job.qos.clear();
  EXPECT_TRUE(book_->Admits(job, *empty));
}

TEST_F(PriceBookTest, AdmitsWhatHasChangedSinceTheSnapshot) {
  storage::ClusterState state = SmallSite();
  const auto snapshot = SnapshotOf(state);
  priority::Job job;
  job.user = "amy";
  EXPECT_FALSE(book_->Admits(job, *snapshot)) << "the snapshot says the same";
  job.partitions = {"gpu"};
  EXPECT_FALSE(book_->Admits(job, *snapshot));
  state.partitions[0].max_time = absl::Hours(3);
  EXPECT_TRUE(BookOf(state)->Admits(job, *snapshot));
  state.partitions[0].state = "DRAIN";
  EXPECT_FALSE(BookOf(state)->Admits(job, *snapshot)) << "it takes no jobs";
  state.partitions.clear();
  EXPECT_FALSE(BookOf(state)->Admits(job, *snapshot)) << "it is gone";
  job.partitions = {"new"};
  EXPECT_FALSE(book_->Admits(job, *snapshot));
  state.partitions = {{.name = "new"}};
  EXPECT_TRUE(BookOf(state)->Admits(job, *snapshot));
}

TEST_F(PriceBookTest, AdmitsUnderAQosThatHasChangedSinceTheSnapshot) {
  storage::ClusterState state = SmallSite();
  state.partitions[0].qos = "half";
  const auto snapshot = SnapshotOf(state);
  state.qos[0].flags = {"PartitionTimeLimit"};
  priority::Job job;
  job.user = "amy";
  EXPECT_FALSE(BookOf(state)->Admits(job, *snapshot)) << "it is of another QOS";
  job.partitions = {"gpu"};
  EXPECT_TRUE(BookOf(state)->Admits(job, *snapshot)) << "it is the partition's";
  job.partitions.clear();
  job.qos = {"half"};
  EXPECT_TRUE(BookOf(state)->Admits(job, *snapshot));
}

TEST_F(PriceBookTest, BillingOverridesTheWeights) {
  record_.partition = "gpu";
  record_.billing = 3;
  EXPECT_EQ(PriceOf(record_).billing_rate, 3);
}

TEST_F(PriceBookTest, OneTresUnderTwoNamesIsRejected) {
  record_.tres = {{"cpu", 4}, {"CPU", 4}};
  EXPECT_EQ(ReasonOf(record_), RejectionReason::kOutOfRange);
}

}  // namespace
}  // namespace priorityd::usage
