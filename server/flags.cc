#include "server/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/flag_checks.h"
#include "server/site_factor/allowed_services.h"
#include "version.h"

namespace priorityd {
namespace {

constexpr char kDescription[] =
    "priorityd tells batch frontends in which order jobs should start, and why, over gRPC.\n"
    "It runs in the foreground and logs to stderr; SIGTERM or Ctrl-C stops it cleanly.\n";

constexpr char kFooter[] =
    "\nFirst steps, with prioctl against the same address:\n"
    "  priorityd --data_dir=/var/lib/priorityd\n"
    "  prioctl import slurm-conf /etc/slurm/slurm.conf\n"
    "  prioctl import sacctmgr dump.cfg        (sacctmgr dump CLUSTER file=dump.cfg)\n"
    "  prioctl sshare -a -l\n"
    "\nExit codes: 0 stopped cleanly, 1 bad flags or address taken, 2 database unusable.\n";

constexpr char kHostPort[] = "HOST:PORT with a port from 0 to 65535";

// Larger ports would be cut to 16 bits by whoever opens the socket.
bool IsHostPort(const std::string& listen) {
  const std::string port = listen.substr(listen.rfind(':') + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos;
  return digits && listen.size() > port.size() && std::stoi(port) <= 65535;
}

std::string CheckHttpAddress(const std::string& listen) {
  const bool is_socket = listen.rfind("unix:", 0) == 0;
  return !is_socket && IsHostPort(listen) ? "" : "got " + listen + ", want " + kHostPort;
}

std::string CheckAddress(const std::string& listen) {
  const bool is_socket = listen.rfind("unix:", 0) == 0 && listen.size() > 5;
  if (is_socket || IsHostPort(listen)) return "";
  return "got " + listen + ", want " + kHostPort + ", or unix:PATH";
}

// Without a port: a browser may add one.
std::string CheckHostName(const std::string& name) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_") == std::string::npos;
  return plain && !name.empty() ? "" : "got " + name + ", want a host's name in lower case";
}

// As browsers name it.
std::string CheckOrigin(const std::string& origin) {
  const bool https = origin.rfind("https://", 0) == 0;
  const bool http = origin.rfind("http://", 0) == 0;
  const std::string host = https || http ? origin.substr(https ? 8 : 7) : "";
  const bool plain =
      host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-:[]_") == std::string::npos;
  if (!host.empty() && plain) return "";
  return "got " + origin + ", want https://HOST or https://HOST:PORT in lower case";
}

void AddDatabaseFlags(CLI::App* app, Flags* flags, std::string* url_file) {
  app->add_option("--data_dir", flags->data_dir,
                  "Keep everything in a PostgreSQL of priorityd's own in DIR, made if missing")
      ->option_text("DIR");
  app->add_option("--database_url", flags->database_url,
                  "Use this PostgreSQL 15 or later instead; the schema is made and upgraded")
      ->option_text("postgresql://USER@HOST/DATABASE")
      ->envname(kDatabaseVariable);
  app->add_option("--database_url_file", *url_file,
                  "The same, read from a file: a password on the command line is seen by all")
      ->option_text("FILE");
  app->add_flag("--migrate_only", flags->migrate_only,
                "Bring the schema up to this version, beside what runs on it, and exit");
  app->add_flag("--contract", flags->contract,
                "With --migrate_only: also take away what only older versions need")
      ->needs("--migrate_only");
}

void SetQuotas(const std::vector<std::string>& texts, Flags* flags) {
  for (const std::string& text : texts) {
    const absl::Status set = flags->quotas.Set(text);
    if (!set.ok()) throw CLI::ValidationError("--quota", std::string(set.message()));
  }
}

void AddServerFlags(CLI::App* app, Flags* flags) {
  app->add_option(
         "--listen", flags->listen,
         "Where to serve gRPC, more than once for more addresses; port 0 takes any free one")
      ->option_text("HOST:PORT or unix:PATH [" + flags->listen.front() + "]")
      ->allow_extra_args(false)
      ->check(CheckAddress);
  app->add_option("--max_message_mib", flags->max_message_mib,
                  "Largest request or answer, in MiB: at most a sixteenth of --memory_budget")
      ->option_text("N [64, or that]")
      ->check(CLI::Range(1, 2047));
  app->add_option("--max_jobs", flags->max_jobs, "Most jobs in one call")
      ->option_text("N [200000]")
      ->check(CLI::Range(1, 100'000'000));
  app->add_option("--max_records", flags->max_records, "Most usage records in one call")
      ->option_text("N [100000]")
      ->check(CLI::Range(1, 100'000'000));
  app->add_option("--max_tracked_jobs", flags->max_tracked_jobs, "Most tracked jobs of a cluster")
      ->option_text("N [2000000]")
      ->check(CLI::Range(1, 1'000'000'000));
  app->add_option("--group_file", flags->group_file,
                  "Groups as getent prints them, for AllowGroups; read again when it changes")
      ->option_text("FILE");
  app->add_option("--max_all_tracked_jobs", flags->max_all_tracked_jobs,
                  "Most tracked jobs of all clusters together")
      ->option_text("N [5000000]")
      ->check(CLI::Range(1, 1'000'000'000));
  app->add_option_function<std::vector<std::string>>(
         "--quota", [flags](const std::vector<std::string>& texts) { SetQuotas(texts, flags); },
         "The most that one caller holds of what all share, as a number or a percentage; more than "
         "once for more (docs/operations.md)")
      ->option_text("NAME=N[%]")
      ->allow_extra_args(false);
  app->add_option("--memory_budget", flags->memory_budget_mib,
                  "Memory for requests and answers: on their way, and with what is made of them")
      ->option_text("MIB [1024]")
      ->check(CLI::Range(16, 1 << 24));
  app->add_option("--drain_seconds", flags->drain_seconds,
                  "How long calls at work may take to finish after SIGTERM")
      ->option_text("N [20]")
      ->check(CLI::Range(0, 86'400));
}

// The mode of a file in octal digits, as chmod takes it.
std::string ReadMode(const std::string& text, int* mode) {
  const bool octal =
      !text.empty() && text.size() <= 4 && text.find_first_not_of("01234567") == std::string::npos;
  if (octal) *mode = std::stoi(text, nullptr, 8);
  return octal && *mode <= 0777 ? "" : "got " + text + ", want octal digits such as 0660";
}

void AddSecurityFlags(CLI::App* app, Flags* flags) {
  app->add_option("--auth_file", flags->auth_file,
                  "Who may do what: MUNGE, tokens, certificates, roles (docs/security.md); "
                  "read again when it changes")
      ->option_text("FILE");
  app->add_option("--tls_cert", flags->tls_cert,
                  "Serve TLS with this certificate chain; read again when it changes")
      ->option_text("FILE");
  app->add_option("--tls_key", flags->tls_key, "Its private key")->option_text("FILE");
  app->add_option("--tls_client_ca", flags->tls_client_ca,
                  "Ask clients for certificates that one of these has signed")
      ->option_text("FILE");
  app->add_option("--socket_mode", "Who may open the socket of --listen=unix:PATH")
      ->option_text("MODE [0600]")
      ->check([flags](const std::string& text) { return ReadMode(text, &flags->socket_mode); });
  app->add_option("--socket_group", flags->socket_group, "The group of that socket")
      ->option_text("GROUP");
  app->add_flag("--insecure", flags->insecure,
                "Listen beyond this host without --auth_file: all who reach it administer it");
  app->add_option("--proxy_secret_file", flags->proxy_secret_file,
                  "The secret of the proxy in front of gRPC, whose word on its clients is taken "
                  "(docs/operations.md)")
      ->option_text("FILE")
      ->needs("--auth_file");
  app->add_flag("--expose_grpc", flags->expose_grpc,
                "Listen beyond this host without a proxy: who reaches it can use up the memory "
                "(docs/security.md)");
}

void AddSiteFactorFlags(CLI::App* app, Flags* flags) {
  app->add_option("--site_factor_allow", flags->site_factor_allow,
                  "What a policy may name as PrioritySiteFactorPlugin, * for any characters; more "
                  "than once for more")
      ->option_text("HOST:PORT [loopback]")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check([](const std::string& pattern) {
        return std::string(site_factor::AllowedServices::CheckPattern(pattern).message());
      });
  app->add_option("--site_factor_ca", flags->site_factor_ca,
                  "Call these services over TLS, and trust those that one of these has signed")
      ->option_text("FILE");
  app->add_option("--site_factor_cert", flags->site_factor_cert,
                  "Our certificate, for services that ask for one")
      ->option_text("FILE");
  app->add_option("--site_factor_key", flags->site_factor_key, "Its private key")
      ->option_text("FILE");
}

void AddMonitoringFlags(CLI::App* app, Flags* flags) {
  app->add_option("--http_listen", flags->http_listen,
                  "Serve HTTP here, as on 127.0.0.1:7412: the page, the API as JSON "
                  "(docs/http.md), /metrics, /healthz and /readyz")
      ->option_text("HOST:PORT")
      ->check(CheckHttpAddress);
  app->add_flag("--http_metrics_only", flags->http_metrics_only,
                "With --http_listen: neither the page nor the API")
      ->needs("--http_listen");
  app->add_option("--http_allow_origin", flags->http_allow_origins,
                  "Let pages of this origin read the API, as https://portal.example.org; more than "
                  "once for more")
      ->option_text("ORIGIN")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckOrigin);
  app->add_option("--http_frame_ancestor", flags->http_frame_ancestors,
                  "Let pages of this origin show the card of a user in a frame, as "
                  "https://portal.example.org; more than once for more")
      ->option_text("ORIGIN")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckOrigin);
  app->add_option("--http_host", flags->http_hosts,
                  "Another name of this host, by which browsers and Prometheus call it where "
                  "nothing is proved; more than once for more")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckHostName);
  app->add_flag("--metrics_accounts", flags->metrics_accounts,
                "With --http_listen: also fair-share and usage of each account and user")
      ->needs("--http_listen");
}

void AddRecalculationFlags(CLI::App* app, Flags* flags) {
  app->add_option("--max_staleness", flags->max_staleness_seconds,
                  "Health says NOT_SERVING when the database was out of reach for so long")
      ->option_text("SECONDS [600]")
      ->check(CLI::Range(11, 1'000'000'000));
  app->add_option("--max_commit", flags->max_commit_seconds,
                  "Health of priorityd.recording says NOT_SERVING when a commit takes longer")
      ->option_text("SECONDS [30]")
      ->check(CLI::Range(1, 1'000'000'000));
  app->add_option("--max_clock_offset", flags->max_clock_offset_seconds,
                  "Do not lead while this host's clock is further from the database's")
      ->option_text("SECONDS [10]")
      ->check(CLI::Range(1, 1'000'000'000));
  app->add_option("--recalculation_threads", flags->recalculation_threads,
                  "Clusters recalculated side by side, each with a database connection")
      ->option_text("N [4]")
      ->check(CLI::Range(1, 64));
  app->add_option("--history_interval", flags->history_interval_seconds,
                  "How often to keep fair-share and usage for plots; 0 = not at all")
      ->option_text("SECONDS [3600]")
      ->check(CLI::Range(0, 1'000'000'000));
  app->add_option("--history_days", flags->history_days, "How long to keep them")
      ->option_text("DAYS [30]")
      ->check(CLI::Range(1, 36'500));
}

void AddLogFlags(CLI::App* app, Flags* flags, std::string* format) {
  app->add_option("--log_format", *format, "How to write the log: text or json")
      ->option_text("FORMAT [text]")
      ->check(CLI::IsMember({"text", "json"}));
  app->add_option("--log_level", flags->log_level, "What to log: trace, debug, info, warn or error")
      ->option_text("LEVEL [info]")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}));
  app->add_option("--log_level_file", flags->log_level_file,
                  "Its first word, where it is there, is the level instead; read again at SIGHUP")
      ->option_text("FILE");
  app->add_option("--slow_call_ms", flags->slow_call_ms,
                  "Log calls that take longer as warnings, slow=true")
      ->option_text("MS [1000]")
      ->check(CLI::Range(1, 1'000'000'000));
}

}  // namespace

absl::StatusOr<Flags> ParseFlags(int argc, const char* const* argv) {
  Flags flags;
  std::string log_format = "text";
  std::string url_file;
  CLI::App app(kDescription, "priorityd");
  app.set_help_flag("--help", "Print this and exit");
  app.set_version_flag("--version", std::string("priorityd ") + kVersion, "Print the version");
  app.footer(kFooter);
  AddDatabaseFlags(&app, &flags, &url_file);
  AddServerFlags(&app, &flags);
  AddSecurityFlags(&app, &flags);
  AddSiteFactorFlags(&app, &flags);
  AddMonitoringFlags(&app, &flags);
  AddRecalculationFlags(&app, &flags);
  AddLogFlags(&app, &flags, &log_format);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    flags.answer = app.help();
    return flags;
  } catch (const CLI::CallForVersion& version) {
    flags.answer = std::string(version.what()) + "\n";
    return flags;
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  flags.json_log = log_format == "json";
  if (absl::Status s = CheckFlags(url_file, &flags); !s.ok()) return s;
  return flags;
}

}  // namespace priorityd
