#include "server/files/file_stamp.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tests/temporary_folder.h"

namespace priorityd::files {
namespace {

class FileStampTest : public ::testing::Test {
 protected:
  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/file";
};

TEST_F(FileStampTest, AFileThatNobodyTouchesIsTheSame) {
  Write(path_, "a");
  EXPECT_EQ(StampOf(path_), StampOf(path_));
}

TEST_F(FileStampTest, AnotherContentOrFileIsSeen) {
  Write(path_, "a");
  const FileStamps before = {StampOf(path_)};
  EXPECT_EQ(StampsNow(before), before);
  Write(path_, "longer");
  const FileStamps longer = StampsNow(before);
  EXPECT_NE(longer, before);
  // As long, by another name first: as editors and kubelets replace files.
  Write(path_ + ".new", "LONGER");
  ASSERT_EQ(std::rename((path_ + ".new").c_str(), path_.c_str()), 0);
  EXPECT_NE(StampsNow(before), longer);
}

TEST_F(FileStampTest, AFileThatComesOrGoesIsSeen) {
  const FileStamp none = StampOf(path_);
  EXPECT_EQ(none.size, -1);
  Write(path_, "");
  EXPECT_NE(StampOf(path_), none);
  std::remove(path_.c_str());
  EXPECT_EQ(StampOf(path_), none);
}

}  // namespace
}  // namespace priorityd::files
