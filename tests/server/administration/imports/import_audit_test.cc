#include "server/administration/imports/import_audit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/storage/store_test.h"

namespace priorityd::administration {
namespace {

using storage::AuditEvent;
using storage::StatusOf;

class ImportAuditTest : public storage::StoreTest {
 protected:
  static constexpr int kMost = static_cast<int>(ImportAudit::kMostEvents);

  void Create(int things) {
    for (int i = 0; i < things; ++i) {
      audit_.Created([&](ChangeList* list) {
        ++asked_;
        list->Created(absl::StrCat("account new", i), {{"Fairshare", "1"}});
      });
    }
  }
  void Change(int things) {
    for (int i = 0; i < things; ++i) {
      audit_.Changed([&](ChangeList* list) {
        ++asked_;
        list->Updated(absl::StrCat("account old", i), {{"Fairshare", "1"}}, {{"Fairshare", "2"}});
      });
    }
  }
  // Oldest first.
  std::vector<AuditEvent> Written() {
    EXPECT_OK(Write([&](storage::Transaction& transaction) {
      AuditEvent frame{.cluster_id = cluster_.id};
      frame.action = "Import";
      return audit_.Append(transaction, frame);
    }));
    auto rows = Read([&](storage::Transaction& transaction) {
      return storage::AuditStore(transaction).List(cluster_.id, 0, 10'000);
    });
    return {rows->rbegin(), rows->rend()};
  }

  ImportAudit audit_;
  int asked_ = 0;
};

TEST_F(ImportAuditTest, EachThingHasARowAsLongAsThereIsRoom) {
  Create(2);
  Change(1);
  const std::vector<AuditEvent> rows = Written();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].object, "account old0");
  EXPECT_EQ(rows[0].before, "Fairshare=1");
  EXPECT_EQ(rows[0].after, "Fairshare=2");
  EXPECT_EQ(rows[1].object, "account new0");
  EXPECT_EQ(rows[1].before, "");
  EXPECT_EQ(rows[2].action, "Import");
  EXPECT_EQ(audit_.omitted(), 0);
}

TEST_F(ImportAuditTest, WhatWasThereBeforeComesBeforeWhatIsNew) {
  Create(kMost + 50);
  Change(30);
  const std::vector<AuditEvent> rows = Written();
  ASSERT_EQ(rows.size(), ImportAudit::kMostEvents);
  EXPECT_EQ(rows[29].object, "account old29");
  EXPECT_EQ(rows[30].object, "account new0");
  EXPECT_EQ(audit_.omitted(), 80);
}

TEST_F(ImportAuditTest, BeyondTheMostNothingIsMadeOnlyToBeCounted) {
  Change(3 * kMost);
  EXPECT_EQ(asked_, kMost);
  EXPECT_EQ(audit_.omitted(), 2 * kMost);
  EXPECT_EQ(Written().size(), ImportAudit::kMostEvents);
}

TEST_F(ImportAuditTest, AChangeOfHiddenColumnsIsNeitherListedNorCountedAsMissing) {
  audit_.Changed([](ChangeList* list) { list->Updated("account a", {{"A", "1"}}, {{"A", "1"}}); });
  EXPECT_EQ(audit_.omitted(), 0);
  EXPECT_TRUE(Written().empty());
}

TEST_F(ImportAuditTest, AUserWithNewRightsIsReportedBeforeNewObjects) {
  Create(kMost);
  const storage::ClusterUser operators{cluster_.id, "ope", "a", "Operator"};
  const storage::ClusterUser other{cluster_.id, "amy", "a", "None"};
  RecordChange(nullptr, &other, &audit_);
  RecordChange(nullptr, &operators, &audit_);
  const std::vector<AuditEvent> rows = Written();
  EXPECT_EQ(rows[0].object, "user ope");
  EXPECT_EQ(rows[0].after, "AdminLevel=Operator DefaultAccount=a");
  EXPECT_EQ(audit_.omitted(), 2);
}

}  // namespace
}  // namespace priorityd::administration
