#include "server/files/read_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace priorityd::files {
namespace {

TEST(ReadFileTest, TheWholeContentIsReadOrTheReasonIsGiven) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/file";
  EXPECT_EQ(ReadFile(path).status(), absl::NotFoundError(path + ": No such file or directory"));
  for (const std::string& content : {std::string(), std::string(200'000, '\0')}) {
    std::ofstream(path, std::ios::binary) << content;
    const auto read = ReadFile(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, content);
  }
  EXPECT_EQ(ReadFile(folder.path()).status().message(), folder.path() + ": Is a directory");
}

}  // namespace
}  // namespace priorityd::files
