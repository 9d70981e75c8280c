// The command line of priorityd.
#ifndef PRIORITYD_SERVER_FLAGS_H_
#define PRIORITYD_SERVER_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/quotas/parts.h"

namespace priorityd {

struct Flags {
  std::vector<std::string> listen = {"127.0.0.1:7411"};
  bool insecure = false;          // Listen beyond this host with nothing to prove who calls.
  bool expose_grpc = false;       // Listen beyond this host with no proxy that bounds HTTP/2.
  std::string proxy_secret_file;  // Empty = there is no proxy.
  std::string auth_file;          // Empty = whoever reaches the server administers it.
  std::string tls_cert;           // Empty = no TLS.
  std::string tls_key;
  std::string tls_client_ca;
  int socket_mode = 0600;
  std::string socket_group;
  std::vector<std::string> site_factor_allow;  // Empty = those of the loopback interface.
  std::string site_factor_ca;                  // Empty = no TLS.
  std::string site_factor_cert;
  std::string site_factor_key;
  std::string group_file;   // For AllowGroups; empty = it is not looked at.
  std::string http_listen;  // Empty = nothing by HTTP.
  bool http_metrics_only = false;
  std::vector<std::string> http_allow_origins;
  std::vector<std::string> http_frame_ancestors;
  std::vector<std::string> http_hosts;
  bool metrics_accounts = false;  // Those of each account and user too.
  std::string data_dir;           // One of this
  std::string database_url;       // and this is set, the latter by one of three ways.
  bool migrate_only = false;      // Bring the database's schema up to date and stop.
  bool contract = false;          // With it: also take away what only older versions need.
  bool json_log = false;
  std::string log_level = "info";
  std::string log_level_file;  // Read at the start and at each SIGHUP; empty = none.
  int slow_call_ms = 1000;
  int max_message_mib = 0;  // 0 before flags are read: as memory_budget_mib has it.
  int max_jobs = 200'000;
  int max_records = 100'000;
  int max_tracked_jobs = 2'000'000;
  int max_all_tracked_jobs = 5'000'000;
  quotas::Parts quotas;
  int memory_budget_mib = 1024;
  int drain_seconds = 20;
  int max_staleness_seconds = 600;
  int max_commit_seconds = 30;
  int max_clock_offset_seconds = 10;
  int recalculation_threads = 4;
  int history_interval_seconds = 3600;  // 0 = no history.
  int history_days = 30;
  // Not empty = print this and stop: the answer to --help or --version.
  std::string answer;
};

// Reads the file that --database_url_file names. INVALID_ARGUMENT: one line that says what is
// wrong.
absl::StatusOr<Flags> ParseFlags(int argc, const char* const* argv);

// Whether --http_listen serves the API and the page too. Not where it would open the service to
// more than --listen does: without --auth_file, while --listen is a Unix socket or an address of
// this host alone.
bool ServesHttpApi(const Flags& flags);

// Whether hosts beyond this one reach gRPC itself.
bool IsGrpcExposed(const Flags& flags);

// Whether only this host reaches an address that --listen takes.
bool IsLocalAddress(const std::string& listen);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FLAGS_H_
