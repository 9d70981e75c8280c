#include "client/prioctl/usage/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/client/pictures/parsed_svg.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::prioctl {
namespace {

using pictures::ParsedSvg;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using ::priority::v1::ListSharesRequest;
using ::priority::v1::ListSharesResponse;

std::string ContentOf(const std::string& file) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

// A program of this name in a folder of its own, which PATH then has alone.
std::string FolderWithProgram(const std::string& name, const std::string& script) {
  const std::string folder = testing::TempDir() + "/programs";
  mkdir(folder.c_str(), 0755);
  const std::string file = folder + "/" + name;
  std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
  chmod(file.c_str(), 0755);
  return folder;
}

class SharesTest : public ::priorityd::PrioctlTest {
 protected:
  SharesTest() {
    fake_.list_shares.Answer([](const ListSharesRequest&, ListSharesResponse* response) {
      response->mutable_snapshot()->set_cluster("c");
      for (const char* account : {"root", "a"}) {
        auto* share = response->add_shares();
        share->set_account(account);
        share->set_raw_shares(1);
        share->set_level_shares(1);
        share->set_raw_usage(12);
        if (account[0] == 'a') share->set_parent_account("root");
      }
      return grpc::Status::OK;
    });
  }
  ~SharesTest() override { setenv("PATH", path_.c_str(), 1); }

  void SetPath(const std::string& path) { setenv("PATH", path.c_str(), 1); }

 private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(SharesTest, TheTableHasThePartsOfEach) {
  EXPECT_EQ(Output({"shares", "--accounts-only"}),
            "ACCOUNT USER ALLOCATED    USED\n"
            "root           100.00% 100.00%\n"
            " a             100.00% 100.00%\n");
  EXPECT_TRUE(fake_.list_shares.requests().back().accounts_only());
}

TEST_F(SharesTest, ThePictureGoesIntoTheFileOrToStandardOutput) {
  const std::string file = testing::TempDir() + "/shares.svg";
  EXPECT_EQ(Output({"shares", "--svg", file}), "");
  EXPECT_NE(ParsedSvg(ContentOf(file)).Find("a: allocated 100.00%, used 100.00%"), nullptr);
  EXPECT_EQ(Run({"shares", "--svg", "-"}).out, ContentOf(file));
}

TEST_F(SharesTest, TheFormsOfThePictureAreWords) {
  EXPECT_THAT(Run({"shares", "--help"}).out,
              ContainsRegex("--form FORM +The form of the picture: icicle, pies or tree\n"));
  EXPECT_EQ(Run({"shares", "--form", "pies"}).exit_code, 0);
  EXPECT_EQ(Run({"shares", "--form", "1"}).exit_code, 2);
}

TEST_F(SharesTest, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_THAT(Failure(1, {"shares", "--svg", "/nowhere/shares.svg"}),
              HasSubstr("/nowhere/shares.svg: cannot be written"));
}

TEST_F(SharesTest, APngIsMadeByTheConverterThatThereIs) {
  SetPath(FolderWithProgram("rsvg-convert", "/bin/cp \"$5\" \"$4\""));
  const std::string file = testing::TempDir() + "/shares.png";
  Output({"shares", "--png", file});
  EXPECT_THAT(ContentOf(file), HasSubstr("<svg "));
  EXPECT_EQ(ContentOf(file + ".svg"), "");  // It is gone.
}

TEST_F(SharesTest, WithoutAConverterNothingIsAsked) {
  SetPath("/nowhere");
  EXPECT_THAT(Failure(2, {"shares", "--png", "shares.png"}), HasSubstr("want rsvg-convert"));
  EXPECT_TRUE(fake_.list_shares.requests().empty());
}

TEST_F(SharesTest, AConverterThatFailsIsNamed) {
  SetPath(FolderWithProgram("rsvg-convert", "exit 3"));
  EXPECT_THAT(Failure(1, {"shares", "--png", testing::TempDir() + "/shares.png"}),
              HasSubstr("rsvg-convert ended with 3"));
}

}  // namespace
}  // namespace priorityd::prioctl
