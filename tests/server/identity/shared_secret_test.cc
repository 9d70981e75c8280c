#include "server/identity/shared_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace priorityd::identity {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kText = "0123456789abcdef0123456789abcdef";

class SharedSecretTest : public ::testing::Test {
 protected:
  absl::StatusOr<SharedSecret> Read(const std::string& content, mode_t mode = 0640) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
    chmod(path_.c_str(), mode);
    return SharedSecret::Read(path_);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/secret";
};

TEST_F(SharedSecretTest, ItIsTheFirstLineAndNothingElse) {
  const auto secret = Read(kText + "\nanother line\n");
  ASSERT_TRUE(secret.ok()) << secret.status();
  EXPECT_TRUE(secret->Is(kText));
  for (const std::string& other :
       {std::string(), kText + "\n", kText + "0", kText.substr(1), "1" + kText.substr(1)}) {
    EXPECT_FALSE(secret->Is(other)) << other;
  }
}

TEST_F(SharedSecretTest, AFileThatOthersMayUseIsRefused) {
  for (const mode_t mode : {0644, 0604, 0641, 0602}) {
    EXPECT_THAT(std::string(Read(kText, mode).status().message()), HasSubstr("chmod o= "));
  }
}

TEST_F(SharedSecretTest, WhatIsNoSecretIsRefusedWithoutAWordOfIt) {
  for (const std::string& content :
       {std::string(), std::string("\n"), "\n" + kText, kText.substr(1), kText + " two",
        kText + "\r\n", kText + "\x01", std::string(1025, 'a')}) {
    const auto secret = Read(content);
    EXPECT_THAT(std::string(secret.status().message()),
                AllOf(HasSubstr("want 32 to 1024 printable"), Not(HasSubstr("0123456"))))
        << content;
  }
  EXPECT_THAT(std::string(SharedSecret::Read(path_ + ".none").status().message()),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace priorityd::identity
