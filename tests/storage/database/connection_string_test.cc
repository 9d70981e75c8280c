#include "storage/database/connection_string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace priorityd::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ConnectionStringTest, AWrongUrlIsRefusedAndNoPartOfItsPasswordIsPrinted) {
  for (const char* url :
       {"Sesame", "host='h password=Sesame", "postgresql://amy:Sesame%zz@h/d",
        "postgresql://amy:Ses/Sesame@h/d", "postgresql://amy:Sesame/Ses@h/d",
        "postgresql://amy:Ses@Sesame@h/d", "postgresql://amy:x@h1,Ses@Sesame/d"}) {
    const auto words = CompleteConnectionString(url);
    EXPECT_EQ(words.status().code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_THAT(std::string(words.status().message()), StartsWith("database_url: got ")) << url;
    EXPECT_THAT(std::string(words.status().message()), Not(HasSubstr("Ses"))) << url;
    const auto standby = StandbyConnectionString(url);
    EXPECT_THAT(std::string(standby.status().message()), StartsWith("reports_database_url: got "));
    EXPECT_THAT(std::string(standby.status().message()), Not(HasSubstr("Ses"))) << url;
  }
}

TEST(ConnectionStringTest, EscapedPasswordsAndSocketsAreTaken) {
  for (const char* url :
       {"postgresql://amy:Ses%2FSes%40@h1:5432,h2:5433/d", "postgresql:///d?host=/run/postgresql",
        "host=@socket dbname=d", "host=h1,h2 port=5432 password='a/b@c'"}) {
    EXPECT_TRUE(CompleteConnectionString(url).ok()) << url;
    EXPECT_TRUE(StandbyConnectionString(url).ok()) << url;
  }
}

}  // namespace
}  // namespace priorityd::storage
