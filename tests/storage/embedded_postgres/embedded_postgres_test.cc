#include "storage/embedded_postgres/embedded_postgres.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "storage/embedded_postgres/leftover_postgres.h"
#include "storage/embedded_postgres/postgres_installation.h"
#include "tests/await.h"
#include "tests/failing_directories.h"
#include "tests/storage/store_test.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<EmbeddedPostgres> StartIn(const std::string& data_dir) {
  auto started = EmbeddedPostgres::Start({.data_dir = data_dir, .durable = false});
  EXPECT_OK(started);
  return started.ok() ? *std::move(started) : nullptr;
}

absl::Status Execute(const EmbeddedPostgres& postgres, const char* statement) {
  Database database({.url = postgres.Url()});
  return database.Write(
      [&](Transaction& transaction) { return transaction.Execute(statement).status(); });
}

int64_t CountRows(const EmbeddedPostgres& postgres) {
  Database database({.url = postgres.Url()});
  auto count =
      database.Read([](Transaction& transaction) { return transaction.Execute("SELECT FROM t"); });
  EXPECT_OK(count);
  return count.value_or(-1);
}

// Another program that runs a server in `data_dir`.
class Daemon {
 public:
  explicit Daemon(const std::string& data_dir) {
    int output[2];
    if (pipe(output) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::string program = "tests/storage/embedded_postgres/embedded_postgres_daemon";
    std::string argument = data_dir;
    char* argv[] = {program.data(), argument.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(output[1]);
    char line[32];
    ssize_t size = read(output[0], line, sizeof(line));
    close(output[0]);
    if (size > 0) {
      EXPECT_TRUE(absl::SimpleAtoi(absl::string_view(line, size), &server_pid_));
    }
  }
  ~Daemon() { Kill(); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void Kill() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  pid_t pid() const { return pid_; }
  pid_t server_pid() const { return server_pid_; }

 private:
  pid_t pid_ = 0;
  pid_t server_pid_ = 0;
};

class EmbeddedPostgresTest : public ::testing::Test {
 protected:
  EmbeddedPostgresTest() : data_dir_(absl::StrCat(NewTestDirectory(), "/data")) {}

  std::string Cluster() const { return absl::StrCat(data_dir_, "/postgres"); }

  const std::string data_dir_;
};

// `nobody` may be anything that a host runs so.
TEST(PostgresUserTest, ForRootItIsAUserOfItsOwnOrTheMessageSaysHowToMakeOne) {
  const auto missing = PostgresUser::FirstOf({"no-such-user", "nor-this-one"});
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(missing.status().message(), "useradd --system no-such-user"))
      << missing.status();
  const auto there = PostgresUser::FirstOf({"no-such-user", "root"});
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_EQ(there->name(), "root");
  const auto chosen = PostgresUser::Choose();
  EXPECT_TRUE(!chosen.ok() || chosen->name() != "nobody");
}

// Programs that say which version they are, in the PATH of a test.
class FakePrograms {
 public:
  explicit FakePrograms(const std::string& version)
      : folder_(NewTestDirectory()), path_(std::getenv("PATH")) {
    for (const char* program : {"initdb", "postgres"}) {
      const std::string file = absl::StrCat(folder_, "/", program);
      std::ofstream(file) << "#!/bin/sh\necho 'postgres (PostgreSQL) " << version << "'\n";
      fs::permissions(file, fs::perms::owner_all);
    }
    setenv("PATH", absl::StrCat(path_, ":", folder_).c_str(), 1);
  }
  ~FakePrograms() { setenv("PATH", path_.c_str(), 1); }

  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_;
  const std::string path_;
};

TEST(FindPostgresProgramsTest, TheNewestIsTakenWhereverItIsAndEachByItsVersion) {
  const std::string usual = FindPostgresPrograms("").value();
  {
    const FakePrograms newer("99.1 (Debian 99.1-0)");
    EXPECT_EQ(*FindPostgresPrograms(""), newer.folder());
    EXPECT_EQ(*FindPostgresPrograms("99"), newer.folder());
  }
  const FakePrograms older("9beta");
  EXPECT_EQ(*FindPostgresPrograms(""), usual);
  EXPECT_EQ(*FindPostgresPrograms("9"), older.folder());
  EXPECT_FALSE(FindPostgresPrograms("8").ok());
}

TEST(FindPostgresProgramsTest, AFolderForTemporaryFilesThatIsMissingHidesNoVersion) {
  const char* set = std::getenv("TMPDIR");
  const std::string before = set == nullptr ? "" : set;
  const FakePrograms newer("99.1 (Debian 99.1-0)");
  setenv("TMPDIR", "/nonexistent", 1);
  const auto found = FindPostgresPrograms("99");
  set == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, newer.folder());
}

TEST(FindPostgresProgramsTest, ProgramsInThePathAreFoundWhereTheFolderOfPackagesCannotBeRead) {
  const FakePrograms newer("99.1 (Debian 99.1-0)");
  const FailingDirectories failing(EIO);
  EXPECT_EQ(FindPostgresPrograms("").value_or(""), newer.folder());
}

TEST(PostgresProcessesInTest, AListOfProcessesThatEndsWithAnErrorIsReadUpToIt) {
  const FailingDirectories failing(EIO);
  EXPECT_TRUE(PostgresProcessesIn("/nonexistent").empty());
}

TEST_F(EmbeddedPostgresTest, DataOfAVersionThatIsNotInstalledAreNotTouchedAndTheWayOutIsNamed) {
  ASSERT_NE(StartIn(data_dir_), nullptr);
  std::ofstream(Cluster() + "/PG_VERSION") << "98\n";
  const auto started = EmbeddedPostgres::Start({.data_dir = data_dir_, .durable = false});
  EXPECT_EQ(started.status().code(), absl::StatusCode::kFailedPrecondition);
  for (const char* text : {"of PostgreSQL 98", "postgresql-98", "--upgrade_postgres"}) {
    EXPECT_TRUE(absl::StrContains(started.status().message(), text)) << started.status();
  }
}

TEST_F(EmbeddedPostgresTest, AStoppedServerKeepsItsDataDirectory) {
  const auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_EQ(absl::StrCat("/usr/lib/postgresql/", postgres->major_version(), "/bin"),
            postgres->programs());
  postgres->Stop();
  EXPECT_TRUE(PostgresProcessesIn(Cluster()).empty());
  EXPECT_FALSE(EmbeddedPostgres::Start({.data_dir = data_dir_, .durable = false}).ok());
}

TEST_F(EmbeddedPostgresTest, WhatWasWrittenIsThereAfterARestart) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  ASSERT_OK(Execute(*postgres, "CREATE TABLE t AS SELECT generate_series(1, 7)"));
  postgres.reset();
  postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_EQ(CountRows(*postgres), 7);
}

TEST_F(EmbeddedPostgresTest, NoProcessIsLeftAfterTheEnd) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_FALSE(PostgresProcessesIn(fs::canonical(Cluster())).empty());
  postgres.reset();
  EXPECT_TRUE(PostgresProcessesIn(fs::canonical(Cluster())).empty());
}

TEST_F(EmbeddedPostgresTest, AnOpenTransactionDoesNotHinderTheEnd) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  Database database({.url = postgres->Url()});
  absl::Status status = database.Write([&](Transaction& transaction) {
    EXPECT_OK(transaction.Execute("SELECT 1"));
    postgres.reset();
    return transaction.Execute("SELECT 1").status();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(EmbeddedPostgresTest, ItListensOnItsSocketOnly) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  Database database({.url = postgres->Url()});
  auto rows = database.Read([](Transaction& transaction) {
    return transaction.Execute(
        "SELECT FROM pg_settings WHERE name = 'listen_addresses' AND setting = ''");
  });
  ASSERT_OK(rows);
  EXPECT_EQ(*rows, 1);
}

TEST_F(EmbeddedPostgresTest, WritesAreDurableUnlessATestSaysOtherwise) {
  auto started = EmbeddedPostgres::Start({.data_dir = data_dir_});
  ASSERT_OK(started);
  Database database({.url = (*started)->Url()});
  auto rows = database.Read([](Transaction& transaction) {
    return transaction.Execute(
        "SELECT FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', "
        "'full_page_writes') AND setting = 'on'");
  });
  ASSERT_OK(rows);
  EXPECT_EQ(*rows, 3);
}

TEST_F(EmbeddedPostgresTest, ADirectoryInUseIsRefusedAndTheHolderNamed) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  auto second = EmbeddedPostgres::Start({.data_dir = data_dir_});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(second.status().message(), absl::StrCat("process ", getpid())))
      << second.status();
  EXPECT_OK(Execute(*postgres, "SELECT 1"));
}

TEST_F(EmbeddedPostgresTest, AnotherProgramsDirectoryIsRefused) {
  Daemon daemon(data_dir_);
  ASSERT_NE(daemon.server_pid(), 0);
  auto second = EmbeddedPostgres::Start({.data_dir = data_dir_});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(second.status().message(), absl::StrCat("process ", daemon.pid())))
      << second.status();
}

TEST_F(EmbeddedPostgresTest, AServerThatIsKilledIsStartedAgain) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  ASSERT_OK(Execute(*postgres, "CREATE TABLE t AS SELECT generate_series(1, 7)"));
  for (int round = 0; round < 2; ++round) {
    const pid_t killed = postgres->pid();
    ASSERT_EQ(kill(killed, SIGKILL), 0);
    ASSERT_TRUE(Await([&] {
      return postgres->pid() != 0 && postgres->pid() != killed && postgres->Check().ok();
    }));
    EXPECT_EQ(CountRows(*postgres), 7);
  }
}

TEST_F(EmbeddedPostgresTest, CheckSaysThatTheServerIsAway) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_OK(postgres->Check());
  EXPECT_TRUE(Await([&] {
    // On a busy host it may be back before it is looked at.
    if (const pid_t pid = postgres->pid(); pid != 0) kill(pid, SIGKILL);
    return absl::IsUnavailable(postgres->Check());
  }));
}

TEST_F(EmbeddedPostgresTest, ADatabaseOutlivesTheServersDeath) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  Database database({.url = postgres->Url()});
  auto work = [](Transaction& transaction) { return transaction.Execute("SELECT 1").status(); };
  ASSERT_OK(database.Write(work));
  const pid_t killed = postgres->pid();
  ASSERT_EQ(kill(killed, SIGKILL), 0);
  EXPECT_TRUE(Await([&] { return postgres->pid() != killed; }));
  EXPECT_TRUE(Await([&] { return database.Write(work).ok(); }));
}

TEST_F(EmbeddedPostgresTest, TheServerEndsWithAProgramThatIsKilled) {
  Daemon daemon(data_dir_);
  ASSERT_NE(daemon.server_pid(), 0);
  daemon.Kill();
  EXPECT_TRUE(Await([&] { return PostgresProcessesIn(fs::canonical(Cluster())).empty(); }));
}

TEST_F(EmbeddedPostgresTest, AfterAProgramThatWasKilledTheNextFindsItsData) {
  {
    auto postgres = StartIn(data_dir_);
    ASSERT_NE(postgres, nullptr);
    ASSERT_OK(Execute(*postgres, "CREATE TABLE t AS SELECT generate_series(1, 7)"));
  }
  Daemon daemon(data_dir_);
  ASSERT_NE(daemon.server_pid(), 0);
  daemon.Kill();
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_NE(postgres->pid(), daemon.server_pid());
  EXPECT_EQ(CountRows(*postgres), 7);
}

TEST_F(EmbeddedPostgresTest, ALeftoverServerIsStopped) {
  Daemon daemon(data_dir_);
  ASSERT_NE(daemon.server_pid(), 0);
  // It does not hear of its parent's death while it is stopped.
  ASSERT_EQ(kill(daemon.server_pid(), SIGSTOP), 0);
  daemon.Kill();
  ASSERT_FALSE(PostgresProcessesIn(fs::canonical(Cluster())).empty());
  ASSERT_EQ(kill(daemon.server_pid(), SIGCONT), 0);
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  EXPECT_OK(Execute(*postgres, "SELECT 1"));
}

TEST_F(EmbeddedPostgresTest, AStalePidFileThatNamesALivingProcessIsNoHindrance) {
  auto postgres = StartIn(data_dir_);
  ASSERT_NE(postgres, nullptr);
  postgres.reset();
  std::ofstream(absl::StrCat(Cluster(), "/postmaster.pid")) << getppid() << "\n"
                                                            << Cluster() << "\n1\n5432\n\n\n";
  EXPECT_NE(StartIn(data_dir_), nullptr);
}

TEST_F(EmbeddedPostgresTest, AnInterruptedCreationIsRestarted) {
  fs::create_directories(absl::StrCat(data_dir_, "/postgres.new"));
  std::ofstream(absl::StrCat(data_dir_, "/postgres.new/PG_VERSION")) << "15\n";
  fs::permissions(data_dir_, fs::perms(0755));
  EXPECT_NE(StartIn(data_dir_), nullptr);
}

TEST_F(EmbeddedPostgresTest, ALongPathHasItsSocketElsewhereAndLeavesNothingThere) {
  const std::string data_dir = absl::StrCat(data_dir_, "/", std::string(120, 'x'));
  fs::create_directories(data_dir_);
  auto postgres = StartIn(data_dir);
  ASSERT_NE(postgres, nullptr);
  EXPECT_OK(Execute(*postgres, "SELECT 1"));
  std::string socket_dir;
  std::getline(std::ifstream(absl::StrCat(data_dir, "/socket_dir")) >> std::ws, socket_dir);
  struct stat socket_stat;
  ASSERT_EQ(stat(socket_dir.c_str(), &socket_stat), 0) << socket_dir;
  EXPECT_EQ(socket_stat.st_mode & 0777, 0700u);
  postgres.reset();
  EXPECT_FALSE(fs::exists(socket_dir));
}

TEST_F(EmbeddedPostgresTest, ADirectoryThatCannotBeMadeIsOneClearError) {
  std::ofstream(data_dir_) << "a file";
  auto started = EmbeddedPostgres::Start({.data_dir = absl::StrCat(data_dir_, "/below")});
  ASSERT_FALSE(started.ok());
  EXPECT_TRUE(absl::StrContains(started.status().message(), "data_dir")) << started.status();
  EXPECT_FALSE(absl::StrContains(started.status().message(), "\n"));
}

}  // namespace
}  // namespace priorityd::storage
