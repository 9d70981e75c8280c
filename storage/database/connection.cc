#include "storage/database/connection.h"

#include <postgresql/libpq-fe.h>
#include <spdlog/spdlog.h>

#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "storage/database/connection_string.h"

namespace priorityd::storage {
namespace {

// In the schema public, others may have functions that fit a call better than PostgreSQL's own of
// the same name, and would run with the program's rights. Every name of the program's is qualified.
// Before the first migration there is no schema, and the migration sets it.
constexpr char kSearchPath[] =
    "SELECT pg_catalog.set_config('search_path', 'priorityd', false) "
    "WHERE pg_catalog.to_regnamespace('priorityd') IS NOT NULL; ";

// The times at which the server gives a vanished client up are those of
// CompleteConnectionString. They do not apply to a Unix socket. A server that waits for a
// lock looks for its client too.
constexpr char kCommonSettings[] =
    "SET client_min_messages = warning; "
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 15000; SET client_connection_check_interval = '5s'; ";

constexpr char kIdentify[] =
    "SELECT concat_ws(' ', s.system_identifier, extract(epoch FROM pg_postmaster_start_time()), "
    "d.oid), pg_backend_pid(), current_setting('application_name') "
    "FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()";

struct Backends {
  absl::Mutex mutex;
  // By process id. Several of one: that of a server that is no more may be that of another one.
  std::multimap<int, std::string> names ABSL_GUARDED_BY(mutex);
};

Backends& AllBackends() {
  static auto* const backends = new Backends;
  return *backends;
}

std::string OrEmpty(const char* text) { return text == nullptr ? "" : text; }

// It is known until the last copy goes.
std::shared_ptr<void> AddBackend(int pid, const std::string& application_name) {
  Backends& backends = AllBackends();
  absl::MutexLock lock(&backends.mutex);
  const auto added = backends.names.emplace(pid, application_name);
  return {nullptr, [&backends, added](void*) {
            absl::MutexLock ended(&backends.mutex);
            backends.names.erase(added);
          }};
}

}  // namespace

bool Connection::NoticeLog::operator()(const char message[]) noexcept {
  spdlog::debug("storage: notice: {}", message);
  return false;
}

Connection::Connection(const std::string& connection_string, const std::string& settings)
    : connection_(connection_string), notices_(connection_) {
  const pqxx::result row =
      pqxx::nontransaction(connection_)
          .exec(absl::StrCat(kSearchPath, kCommonSettings, settings, kIdentify));
  identity_ = row.at(0).at(0).as<std::string>();
  server_ = ConnectionStringTo(connection_string, OrEmpty(connection_.hostname()),
                               OrEmpty(connection_.port()));
  backend_pid_ = row.at(0).at(1).as<int>();
  backend_ = AddBackend(backend_pid_, row.at(0).at(2).as<std::string>());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

std::function<void()> Connection::Canceler() const {
  return [key = connection_.cancel_key()] {
    char error[256] = "";
    if (PQcancel(key.get(), error, sizeof(error)) == 0) spdlog::debug("storage: cancel: {}", error);
  };
}

bool HasBackend(int pid, absl::string_view application_name) {
  Backends& backends = AllBackends();
  absl::MutexLock lock(&backends.mutex);
  const auto [begin, end] = backends.names.equal_range(pid);
  for (auto backend = begin; backend != end; ++backend) {
    if (backend->second == application_name) return true;
  }
  return false;
}

}  // namespace priorityd::storage
