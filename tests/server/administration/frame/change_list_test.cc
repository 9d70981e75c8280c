#include "server/administration/frame/change_list.h"

#include <gtest/gtest.h>

namespace priorityd::administration {
namespace {

TEST(ChangeListTest, AnUpdateReportsTheDifferencesOnly) {
  ChangeList list;
  list.Updated("account chem", {{"Fairshare", "40"}, {"GrpJobs", "3"}, {"QOS", "a,b"}},
               {{"Fairshare", "41"}, {"MaxJobs", "5"}, {"QOS", "a,b"}});
  ASSERT_EQ(list.changes().size(), 1u);
  EXPECT_EQ(list.changes()[0],
            (Change{ChangeKind::kUpdated, "account chem",
                    "Fairshare=40 GrpJobs=3 MaxJobs=", "Fairshare=41 GrpJobs= MaxJobs=5"}));
}

TEST(ChangeListTest, UnchangedObjectsAreCountedAndNotListed) {
  ChangeList list;
  list.Updated("account chem", {{"Fairshare", "40"}}, {{"Fairshare", "40"}});
  list.Unchanged(2);
  EXPECT_TRUE(list.changes().empty());
  EXPECT_EQ(list.counts(), (Counts{0, 0, 3, 0}));
}

TEST(ChangeListTest, NothingStandsBeforeWhatIsNewOrAfterWhatIsGone) {
  ChangeList list;
  list.Created("account chem", {{"Fairshare", "1"}});
  list.Deleted("account bio", {{"Fairshare", "2"}});
  EXPECT_EQ(list.changes()[0], (Change{ChangeKind::kCreated, "account chem", "", "Fairshare=1"}));
  EXPECT_EQ(list.changes()[1], (Change{ChangeKind::kDeleted, "account bio", "Fairshare=2", ""}));
  EXPECT_EQ(list.counts(), (Counts{1, 0, 0, 1}));
}

TEST(ChangeListTest, AValueWithBlanksOrQuotesStandsInQuotes) {
  ChangeList list;
  list.Created("account chem", {{"Description", "the \"big\" one"}, {"Organization", "a\\b"}});
  EXPECT_EQ(list.changes()[0].after, "Description=\"the \\\"big\\\" one\" Organization=\"a\\\\b\"");
}

}  // namespace
}  // namespace priorityd::administration
