#include "server/backups/postgres_upgrade.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/temporary_folder.h"

namespace priorityd::backups {
namespace {

// A version that is newer than any, in the PATH of a test.
class NewerPostgres {
 public:
  NewerPostgres() : path_(std::getenv("PATH")) {
    for (const char* program : {"/initdb", "/postgres"}) {
      std::ofstream(folder_.path() + program) << "#!/bin/sh\necho 'postgres (PostgreSQL) 99.1'\n";
      std::filesystem::permissions(folder_.path() + program, std::filesystem::perms::owner_all);
    }
    setenv("PATH", absl::StrCat(path_, ":", folder_.path()).c_str(), 1);
  }
  ~NewerPostgres() { setenv("PATH", path_.c_str(), 1); }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
};

TEST(PostgresUpgradeTest, APlaceForTheOldDataThatCannotBeReadIsNamedBeforeAnythingIsDone) {
  const TemporaryFolder temporary;
  auto postgres =
      storage::EmbeddedPostgres::Start({.data_dir = temporary.path() + "/data", .durable = false});
  ASSERT_TRUE(postgres.ok()) << postgres.status();
  const std::string root = (*postgres)->data_dir();
  Backups backups({.origin = {(*postgres)->Url(), (*postgres)->programs()},
                   .folder = root + "/backups",
                   .scratch = root + "/verify"});
  const std::string kept = absl::StrCat(root, "/postgres-", (*postgres)->major_version());
  std::filesystem::create_symlink(kept, kept);
  const NewerPostgres newer;
  const absl::Status status = UpgradePostgres(&backups, postgres->get());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_TRUE(absl::StrContains(
      status.message(), absl::StrCat("got ", kept, ": Too many levels of symbolic links, want")))
      << status;
  EXPECT_FALSE(std::filesystem::exists(root + "/backups"));
  EXPECT_TRUE((*postgres)->Check().ok());
}

}  // namespace
}  // namespace priorityd::backups
