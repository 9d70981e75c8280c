#include "server/administration/grant_rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/errors/error_details.h"

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

TEST(GrantRightsTest, RevokedGrantsOfCoordinatorsLeaveRoomForThoseOfOperators) {
  grants::GrantBook book;
  AddLimits(4999, "coo (x)", true, &book);
  AddLimits(1, "coo (x)", false, &book);
  EXPECT_EQ(RefusalTo("coo", book), "");
  AddLimits(1, "coo (x)", true, &book);
  EXPECT_THAT(RefusalTo("coo", book), HasSubstr("of one coordinator with revoked ones"));
  for (int i = 0; i < 20; ++i) AddLimits(1000, "c" + std::to_string(i) + " (x)", true, &book);
  EXPECT_THAT(RefusalTo("eve", book), HasSubstr("of coordinators with revoked ones"));
}

TEST(GrantRightsTest, AllCoordinatorsTogetherAreBounded) {
  grants::GrantBook book;
  for (int i = 0; i < 5; ++i) AddLimits(1000, "c" + std::to_string(i) + " (x)", false, &book);
  EXPECT_EQ(RefusalTo("eve", book), "");
  AddLimits(1, "eve (x)", false, &book);
  EXPECT_THAT(RefusalTo("eve", book), HasSubstr("got 5001 grants of coordinators, want at most"));
}

}  // namespace
}  // namespace priorityd::administration
