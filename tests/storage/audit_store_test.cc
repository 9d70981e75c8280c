#include "storage/audit_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class AuditStoreTest : public StoreTest {
 protected:
  void Append(const std::string& text) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      AuditEvent event{.cluster_id = cluster_.id};
      event.principal = event.action = event.object = event.before = event.after = text;
      event.comment = text;
      return AuditStore(transaction).Append(event);
    }));
  }
  std::vector<AuditEvent> List(int64_t before, int64_t limit) {
    return Read([&](Transaction& t) { return AuditStore(t).List(cluster_.id, before, limit); })
        .value();
  }
};

TEST_F(AuditStoreTest, EveryFieldIsReadBackWithATime) {
  for (const std::string& text : AwkwardTexts()) {
    Append(text);
    const AuditEvent event = List(0, 1).at(0);
    EXPECT_EQ(event.cluster_id, cluster_.id);
    EXPECT_EQ(event.principal, text);
    EXPECT_EQ(event.action, text);
    EXPECT_EQ(event.object, text);
    EXPECT_EQ(event.before, text);
    EXPECT_EQ(event.after, text);
    EXPECT_EQ(event.comment, text);
    EXPECT_LT(absl::AbsDuration(absl::Now() - event.at), absl::Hours(1));
  }
}

TEST_F(AuditStoreTest, TheListIsReadInPagesNewestFirst) {
  for (const char* text : {"a", "b", "c"}) Append(text);
  const std::vector<AuditEvent> page = List(0, 2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].action, "c");
  EXPECT_EQ(page[1].action, "b");
  const std::vector<AuditEvent> rest = List(page[1].id, 2);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].action, "a");
}

TEST_F(AuditStoreTest, EventsWithoutAClusterAreFoundByTheirObject) {
  ASSERT_OK(Write([&](Transaction& t) {
    AuditEvent gone;
    gone.object = "cluster gone";
    AuditEvent other;
    other.object = "cluster other";
    return AuditStore(t).Append({{gone, other}});
  }));
  const auto found =
      Read([](Transaction& t) { return AuditStore(t).ListWithoutCluster("cluster gone", 0, 10); });
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().object, "cluster gone");
  EXPECT_EQ(found->front().cluster_id, std::nullopt);
}

TEST_F(AuditStoreTest, APrincipalIsFoundWithAndWithoutItsProof) {
  Append("amy (MUNGE, uid 1000; ipv4:127.0.0.1:1)");
  Append("amyl (MUNGE, uid 1001; ipv4:127.0.0.1:2)");
  const auto found = [&](const std::string& principal) {
    AuditFilter filter;
    filter.principals = {principal};
    return Read([&](Transaction& t) { return AuditStore(t).List(cluster_.id, 0, 10, filter); })
        ->size();
  };
  EXPECT_EQ(found("amy"), 1u);
  EXPECT_EQ(found("amy (MUNGE, uid 1000; ipv4:127.0.0.1:1)"), 1u);
  EXPECT_EQ(found("am"), 0u);
}

TEST_F(AuditStoreTest, ManyEventsKeepTheirOrderAndOneMayBeOfNoCluster) {
  std::vector<AuditEvent> events;
  for (int i = 0; i < 2000; ++i) {
    AuditEvent event{.cluster_id = cluster_.id};
    event.object = std::to_string(i);
    events.push_back(event);
  }
  events.push_back(AuditEvent{});
  ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(events); }));
  const std::vector<AuditEvent> list = List(0, 5000);
  ASSERT_EQ(list.size(), 2000u);
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(list[i].object, std::to_string(1999 - i));
}

}  // namespace
}  // namespace priorityd::storage
