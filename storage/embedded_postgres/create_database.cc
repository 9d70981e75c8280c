#include "storage/embedded_postgres/create_database.h"

#include <pqxx/pqxx>

#include "absl/strings/str_cat.h"
#include "storage/database/connection_string.h"
#include "storage/database/status.h"

namespace priorityd::storage {
namespace {

constexpr char kExists[] = "SELECT FROM pg_database WHERE datname = $1";

}  // namespace

absl::Status CreateDatabase(const std::string& url, const std::string& name,
                            const std::string& template_name) {
  absl::StatusOr<std::string> connection_string = CompleteConnectionString(url);
  if (!connection_string.ok()) return connection_string.status();
  try {
    // CREATE DATABASE runs outside transactions and takes no parameters.
    pqxx::connection connection(*connection_string);
    pqxx::nontransaction session(connection);
    if (!session.exec_params(kExists, name).empty()) return absl::OkStatus();
    session.exec(absl::StrCat("CREATE DATABASE ", session.quote_name(name), " TEMPLATE ",
                              session.quote_name(template_name)));
    return absl::OkStatus();
  } catch (...) {
    return CurrentDatabaseError("create database").status;
  }
}

}  // namespace priorityd::storage
