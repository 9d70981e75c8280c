#include "engine/errors/violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::errors {
namespace {

using testing::ElementsAre;

TEST(ViolationsTest, NoneAreOk) { EXPECT_TRUE(Violations().ToStatus().ok()); }

TEST(ViolationsTest, AStatusCarriesThemInTheirOrderUnderTheReason) {
  Violations violations("INVALID_FILE");
  violations.Add("a", "1");
  violations.Add("b", "2");
  const absl::Status status = violations.ToStatus();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "a: 1 (and 1 more)");
  EXPECT_EQ(ReasonOf(status), "INVALID_FILE");
  EXPECT_THAT(ViolationsOf(status),
              ElementsAre(FieldViolation{"a", "1"}, FieldViolation{"b", "2"}));
  EXPECT_EQ(ReasonOf(Violations().ToStatus()), "");
}

TEST(ViolationsTest, TheFirstAreKeptAndAllAreCounted) {
  Violations violations("INVALID_FILE", 2);
  for (const char* field : {"a", "b", "c", "d"}) violations.Add(field, "bad");
  EXPECT_EQ(violations.total(), 4u);
  const absl::Status status = violations.ToStatus();
  EXPECT_EQ(ViolationsOf(status).size(), 2u);
  EXPECT_EQ(ViolationCountOf(status), 4u);
  EXPECT_EQ(status.message(), "a: bad (and 3 more)");
}

TEST(ViolationsTest, ThoseOfAStatusAreAddedAndCounted) {
  Violations inner("INVALID_FILE", 1);
  inner.Add("a", "1");
  inner.Add("b", "2");
  Violations outer("OTHER");
  outer.Add("files", inner.ToStatus());
  outer.Add("files", absl::NotFoundError("gone"));
  EXPECT_EQ(outer.total(), 3u);
  EXPECT_THAT(outer.kept(), ElementsAre(FieldViolation{"a", "1"}, FieldViolation{"files", "gone"}));
  EXPECT_EQ(ViolationCountOf(outer.ToStatus()), 3u);
}

TEST(ViolationsTest, OtherStatusesCarryNone) {
  EXPECT_TRUE(ViolationsOf(absl::InvalidArgumentError("x")).empty());
  EXPECT_EQ(ViolationCountOf(absl::InvalidArgumentError("x")), 0u);
  EXPECT_EQ(ViolationCountOf(absl::OkStatus()), 0u);
}

}  // namespace
}  // namespace priorityd::errors
