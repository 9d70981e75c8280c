#include "server/administration/grants/grant_rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/errors/error_details.h"
#include "server/administration/grants/grant_change.h"

namespace priorityd::administration {
namespace {

using testing::HasSubstr;

// Adds grants that a coordinator made.
void AddLimits(size_t count, const std::string& who, bool is_revoked, grants::GrantBook* book) {
  for (size_t i = 0; i < count; ++i) {
    grants::StoredGrant& stored = book->grants.emplace_back();
    stored.row.by_coordinator = true;
    if (is_revoked) stored.row.revoked_at = absl::UnixEpoch();
    stored.versions.push_back({.changed_by = who});
  }
}

std::string RefusalTo(const std::string& who, const grants::GrantBook& book) {
  const absl::Status status = CheckLimitBounds(book, {.begin = who + " (", .end = ")"});
  EXPECT_EQ(errors::ReasonOf(status), status.ok() ? "" : "TOO_MANY_GRANTS");
  return std::string(status.message());
}

TEST(GrantRightsTest, GrantsOfOneCoordinatorAreBoundedFromAllAddressesTogether) {
  grants::GrantBook book;
  AddLimits(500, "coo (token; ipv4:1.1.1.1:1)", false, &book);
  AddLimits(499, "coo (token; ipv4:2.2.2.2:2)", false, &book);
  AddLimits(1, "cool (token)", false, &book);
  EXPECT_EQ(RefusalTo("coo", book), "");
  book.grants.emplace_back().row.by_coordinator = true;  // The new one.
  EXPECT_EQ(RefusalTo("coo", book), "");
  AddLimits(1, "coo (munge)", false, &book);
  EXPECT_THAT(RefusalTo("coo", book),
              HasSubstr("got 1001 grants of one coordinator, want at most"));
  EXPECT_EQ(RefusalTo("eve", book), "");
}

TEST(GrantRightsTest, RevokedGrantsOfOneCoordinatorAreBoundedToo) {
  grants::GrantBook book;
  AddLimits(4999, "coo (x)", true, &book);
  AddLimits(1, "coo (x)", false, &book);
  EXPECT_EQ(RefusalTo("coo", book), "");
  AddLimits(1, "coo (x)", true, &book);
  EXPECT_THAT(RefusalTo("coo", book), HasSubstr("of one coordinator with revoked ones"));
}

// `living`: not revoked.
grants::GrantBook BookOfFew(bool living) {
  grants::GrantBook book;
  for (int i = 0; i < 5; ++i) {
    AddLimits(living ? 1000 : 5000, "c" + std::to_string(i) + " (x)", !living, &book);
  }
  return book;
}

TEST(GrantRightsTest, AFewCoordinatorsDoNotUseUpWhatAllHave) {
  for (const bool living : {false, true}) {
    grants::GrantBook book = BookOfFew(living);
    EXPECT_EQ(RefusalTo("c0", book), "");
    const size_t of_each = living ? 20 : 100;
    AddLimits(of_each, "eve (x)", !living, &book);
    EXPECT_EQ(RefusalTo("eve", book), "") << "the share of each";
    AddLimits(1, "eve (x)", !living, &book);
    EXPECT_THAT(
        RefusalTo("eve", book),
        HasSubstr(living ? "got 5021 grants of coordinators, want at most 5000, or 7500 if the "
                           "caller made at most 20 (got 21)"
                         : "got 25101 grants of coordinators with revoked ones, want at most "
                           "25000, or 40000 if the caller made at most 100 (got 101)"));
  }
}

TEST(GrantRightsTest, GrantsOfAllCoordinatorsLeaveRoomForThoseOfOperators) {
  for (const bool living : {false, true}) {
    grants::GrantBook book = BookOfFew(living);
    const size_t all = living ? 7500 : 40'000;
    for (int i = 0; book.grants.size() < all; ++i) {
      AddLimits(20, "small" + std::to_string(i) + " (x)", !living, &book);
    }
    EXPECT_EQ(RefusalTo("small0", book), "");
    AddLimits(1, "eve (x)", !living, &book);
    EXPECT_THAT(RefusalTo("eve", book), HasSubstr("of coordinators"));
    EXPECT_TRUE(CheckGrantBounds(book).ok());
  }
}

}  // namespace
}  // namespace priorityd::administration
