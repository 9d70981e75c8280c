#include "storage/configuration/qos_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class QosStoreTest : public StoreTest {
 protected:
  // `qos` with its new id, in this test's cluster.
  absl::StatusOr<Qos> Inserted(Qos qos) {
    qos.cluster_id = cluster_.id;
    absl::Status status = Write([&](Transaction& transaction) {
      absl::StatusOr<int64_t> id = QosStore(transaction).Insert(qos);
      if (id.ok()) qos.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return qos;
  }
  std::vector<Qos> List() {
    return Read([&](Transaction& t) { return QosStore(t).List(cluster_.id); }).value();
  }
};

TEST_F(QosStoreTest, EveryFieldIsReadBack) {
  Qos qos{.name = "high", .priority = 4294967295, .usage_factor = 0.1};
  qos.flags = {"EnforceUsageThreshold", "NoDecay"};
  qos.preempt = {"low", "normal"};
  qos.usage_threshold = -0.25;
  qos.grp_tres_mins = {{"billing", 1.0 / 3}, {"gres/gpu", 2}};
  qos.grp_wall_minutes = 60;
  qos.max_submit_jobs_per_user = 3000;
  qos.other_limits = {{"MaxWall", "1-00:00:00"}};
  absl::StatusOr<Qos> inserted = Inserted(qos);
  ASSERT_OK(inserted);
  EXPECT_EQ(List(), (std::vector<Qos>{*inserted}));
}

TEST_F(QosStoreTest, AwkwardTextsAndNumbersSurvive) {
  std::vector<Qos> want;
  for (const std::string& text : AwkwardTexts()) {
    Qos qos{.name = "q" + text, .flags = {text}, .preempt = {text, text}};
    qos.other_limits = {{text, text}};
    want.push_back(Inserted(qos).value());
  }
  for (double number : AwkwardDoubles()) {
    Qos qos{.name = std::to_string(want.size()), .usage_factor = std::abs(number)};
    qos.usage_threshold = number;
    want.push_back(Inserted(qos).value());
  }
  EXPECT_EQ(List(), want);
}

TEST_F(QosStoreTest, WhatCannotBeIsRefused) {
  EXPECT_OK(Inserted({.name = "a"}));
  EXPECT_EQ(Inserted({.name = "a"}).status().code(), absl::StatusCode::kAlreadyExists);
  for (double factor : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(Inserted({.name = "b", .usage_factor = factor}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << factor;
  }
  EXPECT_EQ(Inserted({.name = "b", .priority = 4294967296}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(QosStoreTest, AnUpdateWritesEveryField) {
  Qos qos = Inserted({.name = "a"}).value();
  qos.name = "b";
  qos.priority = 2;
  qos.usage_factor = 2;
  qos.flags = {"f"};
  qos.preempt = {"p"};
  qos.usage_threshold = 0.5;
  qos.grp_tres_mins = {{"cpu", 1}};
  qos.grp_wall_minutes = 1;
  qos.max_submit_jobs_per_user = 1;
  qos.other_limits = {{"k", "v"}};
  ASSERT_OK(Write([&](Transaction& t) { return QosStore(t).Update(qos); }));
  EXPECT_EQ(List(), (std::vector<Qos>{qos}));
}

TEST_F(QosStoreTest, ADeletedOneIsListedApartAndItsNameIsFree) {
  Qos qos = Inserted({.name = "a"}).value();
  qos.deleted_at = Microseconds(1);
  ASSERT_OK(Write(
      [&](Transaction& t) { return QosStore(t).Delete(cluster_.id, qos.id, *qos.deleted_at); }));
  EXPECT_TRUE(List().empty());
  EXPECT_EQ(Read([&](Transaction& t) { return QosStore(t).ListDeleted(cluster_.id); }).value(),
            (std::vector<Qos>{qos}));
  EXPECT_OK(Inserted({.name = "a"}));
  EXPECT_EQ(Write([&](Transaction& t) { return QosStore(t).Update(qos); }).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(
      Write([&](Transaction& t) { return QosStore(t).Delete(cluster_.id, qos.id, {}); }).code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace priorityd::storage
