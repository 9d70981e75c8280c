// The command line of priorityd.
#ifndef PRIORITYD_SERVER_FLAGS_FLAGS_H_
#define PRIORITYD_SERVER_FLAGS_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/flags/settings_file.h"
#include "server/quotas/parts.h"

namespace priorityd::flags {

struct Flags {
  std::vector<std::string> listen = {"127.0.0.1:7411"};
  bool insecure = false;          // Listen beyond this host without authentication.
  bool expose_grpc = false;       // Listen beyond this host without a proxy that bounds HTTP/2.
  std::string proxy_secret_file;  // Empty = no proxy.
  std::string auth_file;          // Empty = every client is an administrator.
  std::string tls_cert;           // Empty = no TLS.
  std::string tls_key;
  std::string tls_client_ca;
  int socket_mode = 0600;
  std::string socket_group;
  std::vector<std::string> site_factor_allow;  // Empty = loopback addresses only.
  std::string site_factor_ca;                  // Empty = no TLS.
  std::string site_factor_cert;
  std::string site_factor_key;
  std::string group_file;   // For AllowGroups; empty = AllowGroups is ignored.
  std::string http_listen;  // Empty = no HTTP.
  bool http_metrics_only = false;
  std::vector<std::string> http_allow_origins;
  std::vector<std::string> http_frame_ancestors;
  std::vector<std::string> http_hosts;
  std::string oidc_issuer;  // Empty = no sign-in with the site's login.
  std::string oidc_client_id;
  std::string oidc_client_secret_file;  // Empty = a public client.
  std::string oidc_page_url;
  std::string oidc_session_key_file;
  std::string oidc_scope = "openid profile";
  std::string oidc_ca;  // Empty = the authorities of the host.
  int oidc_session_hours = 8;
  bool metrics_accounts = false;     // Also per account and user.
  std::string data_dir;              // Exactly one of these two is set;
  std::string database_url;          // the URL by flag, file or environment.
  std::string reports_database_url;  // A standby for reports; empty = none.
  int reports_max_lag_seconds = 30;
  std::string backup_dir;           // Empty = DATA_DIR/backups.
  int backup_keep = 14;             // Of each reason; 0 = no backups by itself.
  bool upgrade_postgres = false;    // Upgrade the embedded PostgreSQL and exit.
  std::string cell;                 // The name of this database with its replicas; empty = none.
  bool migrate_only = false;        // Upgrade the database's schema and exit.
  bool contract = false;            // With migrate_only: also drop what only older versions need.
  std::string log_format = "text";  // text, json or journal.
  std::string log_level = "info";
  std::string log_level_file;  // Read at start and at each SIGHUP; empty = none.
  int slow_call_ms = 1000;
  int max_message_mib = 0;  // 0 = not given: derived from memory_budget_mib.
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
  int forecast_interval_seconds = 5;  // 0 = no forecasts.
  std::string config_file;            // Empty = the command line alone.
  std::vector<Setting> settings;      // Of that file.
  bool check_config = false;          // Check the flags and the files that they name, and exit.
  // Not empty = print this and exit: the output of --help or --version.
  std::string answer;
};

// Parses and checks the command line and the files of --config and --database_url_file. A flag on
// the command line overrides the same flag of the file. INVALID_ARGUMENT: one line with the reason,
// or a line for each wrong line of the file, of which it names at most 20.
absl::StatusOr<Flags> ParseFlags(int argc, const char* const* argv);

// Whether --http_listen also serves the API and the page. False where HTTP would be open to more
// clients than --listen: without --auth_file, while --listen is a Unix socket or a loopback
// address.
bool ServesHttpApi(const Flags& flags);

// Whether other hosts can reach gRPC directly.
bool IsGrpcExposed(const Flags& flags);

// Whether only this host can reach an address of --listen.
bool IsLocalAddress(const std::string& listen);

}  // namespace priorityd::flags

#endif  // PRIORITYD_SERVER_FLAGS_FLAGS_H_
