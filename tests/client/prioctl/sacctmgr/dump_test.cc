#include "client/prioctl/sacctmgr/dump.h"

#include <fstream>
#include <sstream>

#include "tests/client/prioctl/sacctmgr/recording_terminal.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

constexpr char kDump[] = "Cluster - 'lab':Fairshare=1\nParent - 'root'\n";

class DumpTest : public CommandTest {
 protected:
  DumpTest() {
    v1::File& qos = *admin_.exported.add_files();
    qos.set_kind(v1::FILE_KIND_QOS);
    qos.set_content("Name\nnormal\n");
    v1::File& dump = *admin_.exported.add_files();
    dump.set_kind(v1::FILE_KIND_SACCTMGR_DUMP);
    dump.set_content(kDump);
  }
};

TEST_F(DumpTest, ItIsWrittenIntoTheFileNamed) {
  const std::string file = WriteFile("lab.dump", "old and longer than the new one, by far");
  ASSERT_TRUE(Execute({"dump", "lab", "file=" + file}).ok());
  std::stringstream written;
  written << std::ifstream(file).rdbuf();
  EXPECT_EQ(written.str(), kDump);
  ASSERT_TRUE(Execute({"dump", "lab", "file=-"}).ok());
  EXPECT_EQ(terminal_.out, kDump);
  EXPECT_THAT(std::string(Execute({"dump", "lab", "file=/nowhere/x"}).message()),
              HasSubstr("/nowhere/x: cannot be written"));
}

TEST_F(DumpTest, LoadIsCheckedReportedAskedAboutAndMade) {
  const std::string file = WriteFile("load.dump", kDump);
  admin_.imported.set_cluster("lab");
  admin_.imported.mutable_associations()->set_created(4);
  admin_.imported.mutable_associations()->set_unchanged(2);
  ASSERT_TRUE(Execute({"load", "file=" + file, "clean", "cluster=lab2"}).ok());
  EXPECT_EQ(terminal_.out,
            "For cluster lab\n"
            "  Associations: 4 added, 0 modified, 0 deleted, 2 as they were\n");
  EXPECT_EQ(terminal_.questions.size(), 1U);
  ASSERT_EQ(admin_.imports.size(), 2U);
  EXPECT_TRUE(admin_.imports[0].validate_only());
  EXPECT_FALSE(admin_.imports[1].validate_only());
  EXPECT_TRUE(admin_.imports[1].clean());
  EXPECT_EQ(admin_.imports[1].cluster(), "lab2");
  EXPECT_EQ(admin_.imports[1].files(0).content(), kDump);
}

TEST_F(DumpTest, ALoadOfWhatIsThereAsksNothing) {
  ASSERT_TRUE(Execute({"load", WriteFile("same.dump", kDump)}).ok());
  EXPECT_THAT(terminal_.out, testing::EndsWith(" Nothing new added.\n"));
  EXPECT_EQ(admin_.imports.size(), 1U);
  EXPECT_THAT(terminal_.questions, testing::IsEmpty());
}

TEST_F(DumpTest, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(std::string(Execute({"load", "/nowhere/x"}).message()),
              HasSubstr("/nowhere/x: cannot be read"));
  EXPECT_THAT(std::string(Execute({"load"}).message()), HasSubstr("load file=NAME"));
}

}  // namespace
}  // namespace priorityd
