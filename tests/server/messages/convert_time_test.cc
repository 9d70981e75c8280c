#include "server/messages/convert_time.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace priorityd::rpc {
namespace {

google::protobuf::Timestamp Timestamp(int64_t seconds, int32_t nanos) {
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(nanos);
  return timestamp;
}

google::protobuf::Duration Duration(int64_t seconds, int32_t nanos) {
  google::protobuf::Duration duration;
  duration.set_seconds(seconds);
  duration.set_nanos(nanos);
  return duration;
}

TEST(ConvertTimeTest, TimesComeBackToTheNanosecond) {
  for (const int64_t seconds : {-62135596800, -1L, 0L, 1767571200L, 253402300799L}) {
    const auto timestamp = Timestamp(seconds, 999'999'999);
    ASSERT_TRUE(IsValid(timestamp));
    google::protobuf::Timestamp back;
    ToProto(ToTime(timestamp), &back);
    EXPECT_EQ(back.seconds(), seconds);
    EXPECT_EQ(back.nanos(), 999'999'999);
  }
}

TEST(ConvertTimeTest, TimesOutsideTheYears1To9999AreInvalid) {
  EXPECT_FALSE(IsValid(Timestamp(-62135596801, 0)));
  EXPECT_FALSE(IsValid(Timestamp(253402300800, 0)));
  EXPECT_FALSE(IsValid(Timestamp(0, -1)));
  EXPECT_FALSE(IsValid(Timestamp(0, 1'000'000'000)));
}

TEST(ConvertTimeTest, InfiniteTimesBecomeTheNearestThereIs) {
  google::protobuf::Timestamp timestamp;
  ToProto(absl::InfiniteFuture(), &timestamp);
  EXPECT_TRUE(IsValid(timestamp));
  ToProto(absl::InfinitePast(), &timestamp);
  EXPECT_TRUE(IsValid(timestamp));
}

TEST(ConvertTimeTest, DurationsNeedOneSign) {
  EXPECT_TRUE(IsValid(Duration(-1, -5)));
  EXPECT_FALSE(IsValid(Duration(1, -5)));
  EXPECT_FALSE(IsValid(Duration(-1, 5)));
  EXPECT_FALSE(IsValid(Duration(315576000001, 0)));
}

TEST(ConvertTimeTest, DurationsComeBack) {
  for (const absl::Duration duration :
       {absl::ZeroDuration(), absl::Seconds(-1.5), absl::Hours(24 * 7), absl::Nanoseconds(1)}) {
    google::protobuf::Duration proto;
    ToProto(duration, &proto);
    EXPECT_TRUE(IsValid(proto));
    EXPECT_EQ(ToDuration(proto), duration);
  }
  google::protobuf::Duration proto;
  ToProto(absl::InfiniteDuration(), &proto);
  EXPECT_TRUE(IsValid(proto));
}

TEST(ConvertTimeTest, TheMachinesOwnZoneHasTheNameOfTheFileItLinksTo) {
  const std::string link = testing::TempDir() + "/localtime";
  std::filesystem::remove(link);
  std::filesystem::create_symlink("/usr/share/zoneinfo/America/Detroit", link);
  absl::TimeZone by_file;
  ASSERT_TRUE(absl::LoadTimeZone(link, &by_file));
  EXPECT_EQ(ZoneName(by_file, link), "America/Detroit");
  EXPECT_EQ(ZoneName(absl::UTCTimeZone(), link), "UTC");
}

TEST(ConvertTimeTest, AZoneWithoutANameKeepsThatOfItsFile) {
  const std::string copy = testing::TempDir() + "/localtime.copy";
  std::filesystem::copy_file("/usr/share/zoneinfo/America/Detroit", copy,
                             std::filesystem::copy_options::overwrite_existing);
  absl::TimeZone by_file;
  ASSERT_TRUE(absl::LoadTimeZone(copy, &by_file));
  EXPECT_EQ(ZoneName(by_file, copy), copy);
}

}  // namespace
}  // namespace priorityd::rpc
