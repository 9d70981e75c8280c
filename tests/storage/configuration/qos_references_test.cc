#include "storage/configuration/qos_references.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class QosReferencesTest : public StoreTest {
 protected:
  void Add(const std::string& user, std::optional<std::vector<std::string>> qos,
           std::optional<std::string> default_qos) {
    ASSERT_OK(Write([&](Transaction& t) -> absl::Status {
      AssociationStore store(t);
      const auto ids = store.ReserveIds(1);
      if (!ids.ok()) return ids.status();
      Association row;
      row.id = ids->front();
      row.cluster_id = cluster_.id;
      row.account = "root";
      row.user_name = user;
      if (!user.empty()) row.parent_id = root_;
      if (user.empty()) root_ = row.id;
      row.qos = std::move(qos);
      row.default_qos = std::move(default_qos);
      return store.Insert({row});
    }));
  }
  std::string Found(const std::vector<std::string>& names) {
    const auto rows =
        Read([&](Transaction& t) { return QosReferences(t).Associations(cluster_.id, names); });
    std::string users;
    for (const Association& row : *rows) users += row.user_name + " ";
    return users;
  }

  int64_t root_ = 0;
};

TEST_F(QosReferencesTest, AssociationsThatListAQosOrHaveItAsDefaultAreFound) {
  Add("", std::nullopt, std::nullopt);
  Add("lists", {{"a", "b"}}, std::nullopt);
  Add("defaults", std::nullopt, "a");
  Add("neither", {{"c"}}, "c");
  EXPECT_EQ(Found({"a"}), "lists defaults ");
  EXPECT_EQ(Found({"b", "c"}), "lists neither ");
  EXPECT_EQ(Found({"d"}), "");
}

TEST_F(QosReferencesTest, OnlyJobsThatHaveNotEndedCount) {
  ASSERT_OK(Write([&](Transaction& t) {
    return t.ExecuteScript(
        "INSERT INTO priorityd.job_queue (cluster_id) SELECT id FROM priorityd.cluster; "
        "INSERT INTO priorityd.job (cluster_id, job_id, change, source, name, user_name, account, "
        "partitions, qos, state, ended_as, end_time, hold, dependency, told_dependency_unmet, "
        "dependency_unmet, submit_time, accrue_time, nodes, cpus, tres_names, tres_counts, nice, "
        "site_factor, reservation, array_tasks) "
        "SELECT c.id, job, row_number() OVER (), '', '', 'u', '', ARRAY['p'], ARRAY['q'], "
        "'PENDING', ended, CASE WHEN ended = '' THEN NULL ELSE now() END, '', '', false, false, "
        "now(), now(), 1, 1, '{}', '{}', 0, 0, '', 1 "
        "FROM priorityd.cluster c, (VALUES ('1', ''), ('2', ''), ('3', 'COMPLETED')) "
        "AS j (job, ended)");
  }));
  const auto count = [&](const char* name) {
    return *Read([&](Transaction& t) { return QosReferences(t).CountJobs(cluster_.id, {name}); });
  };
  EXPECT_EQ(count("q"), 2);
  EXPECT_EQ(count("other"), 0);
  EXPECT_EQ(*Read([&](Transaction& t) {
    return QosReferences(t).CountJobsOfPartitions(cluster_.id, {"p"});
  }),
            2);
}

}  // namespace
}  // namespace priorityd::storage
