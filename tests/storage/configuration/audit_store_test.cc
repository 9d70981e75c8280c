#include "storage/configuration/audit_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
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

// Against a filter written down again, of events whose fields are drawn.
TEST_F(AuditStoreTest, EveryFilterLeavesWhatANaiveOneLeaves) {
  const std::vector<std::string> people = {"amy", "ben (MUNGE, uid 7; unix:)",
                                           "ben (token; ipv4:)"};
  const std::vector<std::string> actions = {"Import", "UpdateQos", "DeleteQos"};
  std::vector<AuditEvent> events;
  for (int i = 0; i < 120; ++i) {
    AuditEvent event{.cluster_id = cluster_.id};
    event.principal = people[i % 3];
    event.action = actions[i / 3 % 3];
    event.object = "account " + std::to_string(i / 5 % 7);
    events.push_back(event);
  }
  ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(events); }));
  const std::vector<AuditEvent> all = List(0, 1000);
  for (const std::vector<std::string>& principals :
       {std::vector<std::string>{}, {"ben"}, {"amy", people[1], "nobody", "amy"}}) {
    for (const std::vector<std::string>& wanted :
         {std::vector<std::string>{}, {"Import"}, {"Import", "DeleteQos"}}) {
      for (const std::string object : {"", "nt 3", "none such"}) {
        AuditFilter filter{.principals = principals, .actions = wanted, .object_contains = object};
        std::vector<int64_t> expected;
        for (const AuditEvent& event : all) {
          const std::string name = event.principal.substr(0, event.principal.find(" ("));
          const auto has = [](const std::vector<std::string>& list, const std::string& one) {
            return std::find(list.begin(), list.end(), one) != list.end();
          };
          if (!principals.empty() && !has(principals, name) && !has(principals, event.principal))
            continue;
          if (!wanted.empty() && !has(wanted, event.action)) continue;
          if (event.object.find(object) == std::string::npos) continue;
          expected.push_back(event.id);
        }
        // In pages of seven.
        std::vector<int64_t> told;
        for (;;) {
          const auto page = Read([&](Transaction& t) {
            return AuditStore(t).List(cluster_.id, told.empty() ? 0 : told.back(), 7, filter);
          });
          ASSERT_OK(page.status());
          for (const AuditEvent& event : *page) told.push_back(event.id);
          if (page->size() < 7) break;
        }
        EXPECT_EQ(told, expected) << principals.size() << wanted.size() << object;
      }
    }
  }
}

TEST_F(AuditStoreTest, WhatOneDidIsReadWithoutTheEventsOfOthers) {
  Append("amy");
  std::vector<AuditEvent> others(20'000);
  for (AuditEvent& event : others) {
    event.cluster_id = cluster_.id;
    event.principal = event.action = event.object = "others";
  }
  ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(others); }));
  for (const AuditFilter& filter :
       {AuditFilter{.principals = {"amy"}}, AuditFilter{.actions = {"amy", "nothing"}}}) {
    const auto read = Read([&](Transaction& t) {
      return RowsReadBy(t, "priorityd.audit_event", [&] {
        const auto rows = AuditStore(t).List(cluster_.id, 0, 100, filter);
        if (rows.ok()) {
          EXPECT_EQ(rows->size(), 1u);
        }
        return rows.status();
      });
    });
    ASSERT_OK(read.status());
    EXPECT_LT(*read, 50);
  }
}

TEST_F(AuditStoreTest, TheUseOfAnAuthorCountsItsNewestEventsOfThePeriod) {
  Append("amy (a) on behalf of ben");
  Append("amyl (a)");
  ASSERT_OK(Write([](Transaction& t) {
    return t.ExecuteScript("UPDATE priorityd.audit_event SET at = at - interval '90 minutes'");
  }));
  for (const char* principal : {"amy (a)", "amy (b) on behalf of ben", "amy (c)", "amyl (a)"}) {
    AuditEvent event{.cluster_id = cluster_.id};
    event.principal = principal;
    event.action = "not counted";
    event.object = "1";
    event.before = "22";
    event.after = "333";
    event.comment = "\xc3\xa4";
    ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(event); }));
  }
  const auto use = [&](const std::string& end, absl::Duration period, int64_t newest) {
    return Read([&](Transaction& t) {
             return AuditStore(t).Use(cluster_.id, {"amy (", end}, period, newest);
           })
        .value();
  };
  EXPECT_EQ(use(")", absl::Hours(1), 100), (AuditUse{2, 16}));
  EXPECT_EQ(use(") on behalf of ben", absl::Hours(1), 100), (AuditUse{1, 8}));
  EXPECT_EQ(use(") on behalf of ben", absl::Hours(2), 100), (AuditUse{2, 8 + 4 * 24}));
  EXPECT_EQ(use(")", absl::Hours(1), 2), (AuditUse{1, 8}));
  EXPECT_EQ(use(") on behalf of cat", absl::Hours(1), 100), AuditUse());
}

TEST_F(AuditStoreTest, TheUseOfAnAuthorIsReadWithoutTheEventsOfOthers) {
  Append("amy (a)");
  std::vector<AuditEvent> others(20'000);
  for (AuditEvent& event : others) {
    event.cluster_id = cluster_.id;
    event.principal = "others (a)";
  }
  ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(others); }));
  const auto read = Read([&](Transaction& t) {
    return RowsReadBy(t, "priorityd.audit_event", [&] {
      return AuditStore(t).Use(cluster_.id, {"amy (", ")"}, absl::Hours(1), 20'000).status();
    });
  });
  ASSERT_OK(read.status());
  EXPECT_LT(*read, 50);
}

TEST_F(AuditStoreTest, AnOldEventIsFoundByAPartOfItsObject) {
  Append("user ann account chem");
  std::vector<AuditEvent> others(20'000);
  for (AuditEvent& event : others) {
    event.cluster_id = cluster_.id;
    event.object = "account others";
  }
  ASSERT_OK(Write([&](Transaction& t) { return AuditStore(t).Append(others); }));
  AuditFilter filter;
  filter.object_contains = "n account ch";
  const auto rows =
      Read([&](Transaction& t) { return AuditStore(t).List(cluster_.id, 0, 100, filter); });
  ASSERT_OK(rows.status());
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front().object, "user ann account chem");
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
