#include "server/site_factor/allowed_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::site_factor {
namespace {

using ::testing::HasSubstr;

bool Allows(std::vector<std::string> patterns, absl::string_view address) {
  return AllowedServices(std::move(patterns)).Check(address).ok();
}

TEST(AllowedServicesTest, WithoutPatternsOnlyThisHostIsAllowed) {
  for (const char* address :
       {"127.0.0.1:7412", "127.9.9.9:1", "localhost:7412", "LocalHost:1", "[::1]:7412"}) {
    EXPECT_TRUE(Allows({}, address)) << address;
  }
  for (const char* address :
       {"10.0.0.1:7412", "127.evil.org:1", "localhost.evil.org:1", "factors.example.org:7412",
        "[::2]:1", "0.0.0.0:1", "2130706433:1", "169.254.169.254:80"}) {
    EXPECT_FALSE(Allows({}, address)) << address;
  }
}

TEST(AllowedServicesTest, PatternsMatchHostAndPortEachByItself) {
  EXPECT_TRUE(Allows({"f.example.org:7412"}, "F.example.org:7412"));
  EXPECT_FALSE(Allows({"f.example.org:7412"}, "f.example.org:7413"));
  EXPECT_TRUE(Allows({"*.example.org:7412"}, "a.b.example.org:7412"));
  EXPECT_FALSE(Allows({"*.example.org:7412"}, "example.org:7412"));
  EXPECT_FALSE(Allows({"*.example.org:7412"}, "f.example.org.evil.org:7412"));
  EXPECT_TRUE(Allows({"10.1.2.*:*"}, "10.1.2.3:99"));
  EXPECT_FALSE(Allows({"10.1.2.*:*"}, "10.1.20.3:99"));
  EXPECT_TRUE(Allows({"[fd00::*]:7412"}, "[fd00::1]:7412"));
  EXPECT_FALSE(Allows({"[fd00::*]:7412"}, "fd00:7412"));
  EXPECT_TRUE(Allows({"a:1", "b:2"}, "b:2"));
  EXPECT_FALSE(Allows({"a:1", "b:2"}, "a:2"));
}

TEST(AllowedServicesTest, PatternsTakeThePlaceOfTheDefault) {
  EXPECT_FALSE(Allows({"f.example.org:7412"}, "127.0.0.1:7412"));
}

// What gRPC would take for more than one host, or for something else.
TEST(AllowedServicesTest, OtherNamesOfTargetsAreNeverAllowed) {
  for (const char* address :
       {"dns:///127.0.0.1:80", "ipv4:127.0.0.1:80,10.0.0.1:80", "unix:/run/s", "unix-abstract:s:1",
        "xds:///a:1", "dns://10.0.0.1/f.example.org:7412", "evil.org:80/f.example.org:7412",
        "a b:1", "f\nexample.org:1", ":7412", "f:", "f", "", "f:123456", "*:1"}) {
    EXPECT_FALSE(Allows({"*:*"}, address)) << address;
    EXPECT_FALSE(Allows({}, address)) << address;
  }
}

TEST(AllowedServicesTest, ARefusalSaysWhatIsAllowed) {
  EXPECT_THAT(std::string(AllowedServices().Check("f:1").message()), HasSubstr("loopback"));
  EXPECT_THAT(std::string(AllowedServices({"a:1", "b:*"}).Check("f:1").message()),
              HasSubstr("got f:1, which --site_factor_allow of this service does not allow, want "
                        "one of a:1, b:*"));
}

TEST(AllowedServicesTest, APatternHasAHostAndAPort) {
  for (const char* pattern : {"a:1", "*:*", "*.example.org:7412", "[::1]:7412", "10.*:7412"}) {
    EXPECT_TRUE(AllowedServices::CheckPattern(pattern).ok()) << pattern;
  }
  for (const char* pattern :
       {"", "a", "a:", ":1", "a:b", "a:1*", "[a-z]:1", "a?:1", "dns:///a:1", "a:1,b:2", "a\\b:1"}) {
    EXPECT_FALSE(AllowedServices::CheckPattern(pattern).ok()) << pattern;
  }
}

}  // namespace
}  // namespace priorityd::site_factor
