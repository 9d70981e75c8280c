#include "storage/configuration/partition_store.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class PartitionStoreTest : public StoreTest {
 protected:
  // `partition` with its new id, in this test's cluster.
  absl::StatusOr<Partition> Inserted(Partition partition) {
    partition.cluster_id = cluster_.id;
    absl::Status status = Write([&](Transaction& transaction) {
      absl::StatusOr<int64_t> id = PartitionStore(transaction).Insert(partition);
      if (id.ok()) partition.id = *id;
      return id.status();
    });
    if (!status.ok()) return status;
    return partition;
  }
  std::vector<Partition> List() {
    return Read([&](Transaction& t) { return PartitionStore(t).List(cluster_.id); }).value();
  }

  // Every field different from its default.
  Partition Full() {
    Partition partition{.name = "gpu", .nodes = 4};
    partition.tres = {{"cpu", 256}, {"mem", 1048576}, {"gres/gpu", 16}};
    partition.is_default = true;
    partition.priority_job_factor = 10;
    partition.priority_tier = 2;
    partition.billing_weights = {{"cpu", 1}, {"mem", 0.25 / 1024}};
    partition.max_time = absl::Hours(48);
    partition.default_time = absl::Minutes(30);
    partition.min_nodes = 1;
    partition.max_nodes = 2;
    partition.allow_accounts = {"physics"};
    partition.deny_accounts = {"bio", "chem"};
    partition.allow_qos = {"high"};
    partition.deny_qos = {"low"};
    partition.qos = "part_gpu";
    partition.state = "DRAIN";
    partition.preempt_mode = "REQUEUE";
    partition.root_only = true;
    partition.max_cpus_per_node = 8;
    partition.max_mem_per_node = 1000.5;
    partition.allow_groups = {"staff", "ops"};
    return partition;
  }
};

TEST_F(PartitionStoreTest, EveryFieldIsReadBack) {
  absl::StatusOr<Partition> full = Inserted(Full());
  ASSERT_OK(full);
  absl::StatusOr<Partition> plain = Inserted({.name = "batch"});
  ASSERT_OK(plain);
  EXPECT_EQ(List(), (std::vector<Partition>{*full, *plain}));
}

TEST_F(PartitionStoreTest, AwkwardTextsAndNumbersSurvive) {
  std::vector<Partition> want;
  for (const std::string& text : AwkwardTexts()) {
    Partition partition{.name = "p" + text};
    partition.tres = {{text, 1}};
    partition.allow_accounts = {text, text};
    partition.qos = text;
    want.push_back(Inserted(partition).value());
  }
  for (double number : AwkwardDoubles()) {
    Partition partition{.name = std::to_string(want.size())};
    partition.billing_weights = {{"cpu", number}};
    want.push_back(Inserted(partition).value());
  }
  EXPECT_EQ(List(), want);
}

TEST_F(PartitionStoreTest, AnUpdateWritesEveryField) {
  const int64_t id = Inserted({.name = "batch"})->id;
  Partition full = Full();
  full.id = id;
  full.cluster_id = cluster_.id;
  ASSERT_OK(Write([&](Transaction& t) { return PartitionStore(t).Update(full); }));
  EXPECT_EQ(List(), (std::vector<Partition>{full}));
}

TEST_F(PartitionStoreTest, ValuesOutOfTheirRangeAreRefusedByTheDatabase) {
  EXPECT_OK(Inserted({.name = "a", .priority_job_factor = 0, .priority_tier = 4294967295}));
  EXPECT_OK(Inserted({.name = "b", .tres = {{"cpu", 0}}, .max_mem_per_node = 0}));
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Partition& partition : {Partition{.name = "c", .priority_job_factor = -1},
                                     Partition{.name = "c", .priority_job_factor = 4294967296},
                                     Partition{.name = "c", .priority_tier = -1},
                                     Partition{.name = "c", .max_nodes = 4294967296},
                                     Partition{.name = "c", .max_cpus_per_node = -1},
                                     Partition{.name = "c", .max_mem_per_node = infinite},
                                     Partition{.name = "c", .tres = {{"cpu", 1}, {"mem", -1}}},
                                     Partition{.name = "c", .tres = {{"cpu", nan}}}}) {
    EXPECT_FALSE(Inserted(partition).ok());
  }
}

TEST_F(PartitionStoreTest, TwoLiveOnesOfOneNameAreRefused) {
  EXPECT_OK(Inserted({.name = "a"}));
  EXPECT_EQ(Inserted({.name = "a"}).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(PartitionStoreTest, ADeletedOneIsListedApartAndItsNameIsFree) {
  Partition gone = Inserted({.name = "a"}).value();
  gone.deleted_at = Microseconds(1);
  auto remove = [&] {
    return Write([&](Transaction& t) {
      return PartitionStore(t).Delete(cluster_.id, gone.id, *gone.deleted_at);
    });
  };
  ASSERT_OK(remove());
  EXPECT_TRUE(List().empty());
  EXPECT_EQ(
      Read([&](Transaction& t) { return PartitionStore(t).ListDeleted(cluster_.id); }).value(),
      (std::vector<Partition>{gone}));
  EXPECT_OK(Inserted({.name = "a"}));
  EXPECT_EQ(remove().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Write([&](Transaction& t) { return PartitionStore(t).Update(gone); }).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace priorityd::storage
