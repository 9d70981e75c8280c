#include "server/usage/price_book.h"

#include <gtest/gtest.h>

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
  priority::Job job;
  job.user = "amy";
  EXPECT_TRUE(book_->Admits(job));
  job.account = "a";
  job.qos = {"half"};
  EXPECT_TRUE(book_->Admits(job));
  job.qos = {"gone"};
  EXPECT_FALSE(book_->Admits(job));
  job.qos = {"gone", "half"};
  EXPECT_TRUE(book_->Admits(job));
  job.account = "b";
  job.user = "ben";  // Deleted; what he used is charged to root.
  EXPECT_FALSE(book_->Admits(job));
  storage::ClusterState state = SmallSite();
  state.qos.push_back({.id = 9, .name = "normal"});
  state.associations[2].qos = {"normal", "low"};
  book_ = BookOf(state);
  job.user = "amy";
  job.account = "a";
  EXPECT_FALSE(book_->Admits(job));
  job.qos.clear();
  EXPECT_TRUE(book_->Admits(job));
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
