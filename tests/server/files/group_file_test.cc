#include "server/files/group_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace priorityd::files {
namespace {

// Until the end of the scope this process, also as root, opens no file: EMFILE.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_ = {};
};

class GroupFileTest : public testing::Test {
 protected:
  void Write(const std::string& content) { std::ofstream(path_) << content; }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/group";
};

// As `getent group` prints them.
TEST_F(GroupFileTest, MembersAreThoseOfTheLine) {
  Write("# who\n\nroot:x:0:\nstaff:x:50:ann,bob\nstaff:x:51:cat\n");
  const auto file = GroupFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  for (const char* user : {"ann", "bob", "cat"}) EXPECT_TRUE((*file)->Has("staff", user));
  EXPECT_FALSE((*file)->Has("staff", "dan"));
  EXPECT_FALSE((*file)->Has("root", "ann"));
  EXPECT_FALSE((*file)->Has("nobody", "ann"));
}

TEST_F(GroupFileTest, AChangedFileIsReadAgainAndABrokenOneLeavesWhatWas) {
  Write("staff:x:50:ann\n");
  const auto file = GroupFile::Open(path_).value();
  Write("staff:x:50:ann,bob\n");
  EXPECT_TRUE(file->Has("staff", "bob"));
  Write("staff\n");
  EXPECT_TRUE(file->Has("staff", "bob"));
  Write("staff:x:50:a-new-one\n");
  EXPECT_FALSE(file->Has("staff", "bob"));
}

TEST_F(GroupFileTest, AFileThatCannotBeReadLeavesWhatWas) {
  Write("staff:x:50:ann\n");
  const auto file = GroupFile::Open(path_).value();
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_TRUE(file->Has("staff", "ann"));
  EXPECT_EQ(GroupFile::Open(path_).status().message(), path_ + ": Is a directory");
}

TEST_F(GroupFileTest, AChangedFileThatCouldNotBeReadIsReadAgainThoughItChangedNoMore) {
  Write("staff:x:50:ann\n");
  const auto file = GroupFile::Open(path_).value();
  Write("staff:x:50:bob,cat\n");
  {
    const NoDescriptors none;
    EXPECT_TRUE(file->Has("staff", "ann"));
    EXPECT_FALSE(file->Has("staff", "bob"));
  }
  EXPECT_TRUE(file->Has("staff", "bob"));
  EXPECT_FALSE(file->Has("staff", "ann"));
}

TEST_F(GroupFileTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(GroupFile::Open(path_).status().code(), absl::StatusCode::kNotFound);
  Write("root:x:0:\nstaff\n");
  EXPECT_EQ(GroupFile::Open(path_).status().message(),
            path_ + " line 2: got \"staff\", want name:password:gid:members");
}

}  // namespace
}  // namespace priorityd::files
