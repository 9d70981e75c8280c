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
