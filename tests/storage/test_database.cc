#include "tests/storage/test_database.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <pqxx/pqxx>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "storage/embedded_postgres/create_database.h"
#include "storage/schema/migration.h"
#include "tests/temporary_folder.h"

namespace priorityd::storage {
namespace {

constexpr char kTemplate[] = "test_template";

// What lives until the last test is over.
struct TestResources {
  std::unique_ptr<EmbeddedPostgres> server;
  std::vector<std::unique_ptr<TemporaryFolder>> directories;
  int databases = 0;
};

std::string NameOfDatabase(int number) { return absl::StrCat("test_", number); }

TestResources& Resources() {
  static TestResources* const resources = new TestResources;
  return *resources;
}

class TestResourcesEnvironment : public ::testing::Environment {
 public:
  void TearDown() override {
    Resources().server.reset();
    delete &Resources();
  }
};

// Drops the databases of a test when it has ended, so that the files of hundreds of them, 8 MB
// each, do not add up. A database made in SetUpTestSuite stays.
class DatabasesOfTests : public ::testing::EmptyTestEventListener {
 public:
  DatabasesOfTests() { ::testing::UnitTest::GetInstance()->listeners().Append(this); }

 private:
  void OnTestStart(const ::testing::TestInfo&) override { before_ = Resources().databases; }

  void OnTestEnd(const ::testing::TestInfo&) override {
    if (Resources().databases == before_) return;
    pqxx::connection connection(TestServer().Url("postgres"));
    pqxx::nontransaction session(connection);
    for (int number = before_; number < Resources().databases; ++number) {
      session.exec(
          absl::StrCat("DROP DATABASE IF EXISTS ", NameOfDatabase(number), " WITH (FORCE)"));
    }
  }

  int before_ = 0;
};

[[maybe_unused]] const auto* const kDatabasesOfTests = new DatabasesOfTests;  // gtest deletes it.

[[maybe_unused]] const ::testing::Environment* const kEnvironment =
    ::testing::AddGlobalTestEnvironment(new TestResourcesEnvironment);

void OrDie(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "test database: %s\n", status.ToString().c_str());
  std::abort();
}

std::string NewDatabase(const std::string& template_name) {
  EmbeddedPostgres& server = TestServer();
  const std::string name = NameOfDatabase(Resources().databases++);
  OrDie(CreateDatabase(server.Url("postgres"), name, template_name));
  return server.Url(name);
}

}  // namespace

std::string NewTestDirectory() {
  return Resources().directories.emplace_back(std::make_unique<TemporaryFolder>())->path();
}

EmbeddedPostgres& TestServer() {
  std::unique_ptr<EmbeddedPostgres>& server = Resources().server;
  if (server != nullptr) return *server;
  absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> started = EmbeddedPostgres::Start(
      {.data_dir = absl::StrCat(NewTestDirectory(), "/data"), .durable = false});
  OrDie(started.status());
  server = *std::move(started);
  OrDie(CreateDatabase(server->Url("postgres"), kTemplate));
  // Closed before it is copied from.
  Database database({.url = server->Url(kTemplate)});
  OrDie(Migrate(database));
  return *server;
}

std::string NewTestDatabase() { return NewDatabase(kTemplate); }

std::string NewEmptyTestDatabase() { return NewDatabase("template0"); }

}  // namespace priorityd::storage
