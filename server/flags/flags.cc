#include "server/flags/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/flags/flag_checks.h"
#include "server/flags/flag_values.h"
#include "server/flags/settings_reader.h"
#include "server/site_factor/allowed_services.h"
#include "version.h"

namespace priorityd::flags {
namespace {

constexpr char kDescription[] =
    "priorityd ranks the jobs of batch clusters and explains the order, over gRPC.\n"
    "It runs in the foreground and logs to stderr; SIGTERM or Ctrl-C stops it cleanly.\n";

constexpr char kFooter[] =
    "\nFirst steps, with prioctl against the same address:\n"
    "  priorityd --data_dir=/var/lib/priorityd\n"
    "  prioctl import slurm-conf /etc/slurm/slurm.conf\n"
    "  prioctl import sacctmgr dump.cfg        (sacctmgr dump CLUSTER file=dump.cfg)\n"
    "  prioctl sshare -a -l\n"
    "\nExit codes: 0 stopped cleanly, 1 bad flags or address taken, 2 database unusable.\n";

// A flag that takes no value, or `true` or `false` in a file.
CLI::Option* AddSwitch(CLI::App* app, const char* name, bool& value, const char* text) {
  return app->add_flag(name, value, text)->check(CheckSwitch);
}

void AddDatabaseFlags(CLI::App* app, Flags* flags, UrlFiles* url_files) {
  app->add_option("--data_dir", flags->data_dir,
                  "Run an embedded PostgreSQL with its data in DIR, which is created if missing")
      ->option_text("DIR");
  app->add_option("--database_url", flags->database_url,
                  "Use this PostgreSQL 15 or later instead; creates and upgrades the schema")
      ->option_text("postgresql://USER@HOST/DATABASE")
      ->envname(kDatabaseVariable);
  app->add_option("--database_url_file", url_files->database,
                  "File with that URL: every user of the host can see a password in a command line")
      ->option_text("FILE");
  app->add_option("--reports_database_url", flags->reports_database_url,
                  "Read reports and the ledger's lists on this streaming standby while it is up to "
                  "date, otherwise on the primary (docs/scale.md)")
      ->option_text("postgresql://USER@HOST/DATABASE")
      ->envname(kReportsDatabaseVariable);
  app->add_option("--reports_database_url_file", url_files->reports, "File with that URL")
      ->option_text("FILE");
  app->add_option("--reports_max_lag", flags->reports_max_lag_seconds,
                  "Read them on the primary while the standby is further behind")
      ->option_text("SECONDS [30]")
      ->check(WholeNumber(10, 86'400, "seconds"));
  app->add_option("--backup_dir", flags->backup_dir,
                  "Folder for backups of the embedded PostgreSQL (prioctl backup)")
      ->option_text("DIR [DATA_DIR/backups]");
  app->add_option("--backup_keep", flags->backup_keep,
                  "Back up before migrations and large imports, and keep the N newest backups of "
                  "each kind; 0 = make none by itself, delete none")
      ->option_text("N [14]")
      ->check(WholeNumber(0, 10'000, "backups"));
  AddSwitch(app, "--upgrade_postgres", flags->upgrade_postgres,
            "Move the data to the newest installed version of PostgreSQL, and exit");
  AddSwitch(app, "--migrate_only", flags->migrate_only,
            "Upgrade the schema to this version while replicas use it, and exit");
  AddSwitch(app, "--contract", flags->contract,
            "With --migrate_only: also drop what only older versions need")
      ->needs("--migrate_only");
}

std::string CheckQuota(const std::string& text) {
  quotas::Parts parts;
  return std::string(parts.Set(text).message());
}

// REQUIRES: each is valid by CheckQuota.
void SetQuotas(const std::vector<std::string>& texts, Flags* flags) {
  for (const std::string& text : texts) flags->quotas.Set(text).IgnoreError();
}

void AddServerFlags(CLI::App* app, Flags* flags) {
  app->add_option("--listen", flags->listen,
                  "Address of the gRPC service, repeatable; port 0 takes any free port")
      ->option_text("HOST:PORT or unix:PATH [" + flags->listen.front() + "]")
      ->allow_extra_args(false)
      ->check(CheckAddress);
  app->add_option("--max_message_mib", flags->max_message_mib,
                  "Largest request or answer in MiB, at most a sixteenth of --memory_budget")
      ->option_text("N [64, or that sixteenth]")
      ->check(WholeNumber(1, 2047, "MiB"));
  app->add_option("--max_jobs", flags->max_jobs, "Maximum jobs of one call")
      ->option_text("N [200000]")
      ->check(WholeNumber(1, 100'000'000, "jobs"));
  app->add_option("--max_records", flags->max_records, "Maximum usage records of one call")
      ->option_text("N [100000]")
      ->check(WholeNumber(1, 100'000'000, "records"));
  app->add_option("--max_tracked_jobs", flags->max_tracked_jobs,
                  "Maximum tracked jobs of one cluster")
      ->option_text("N [2000000]")
      ->check(WholeNumber(1, 1'000'000'000, "jobs"));
  app->add_option("--group_file", flags->group_file,
                  "Groups for AllowGroups, in getent's format; read again when it changes")
      ->option_text("FILE");
  app->add_option("--max_all_tracked_jobs", flags->max_all_tracked_jobs,
                  "Maximum tracked jobs of all clusters together")
      ->option_text("N [5000000]")
      ->check(WholeNumber(1, 1'000'000'000, "jobs"));
  app->add_option_function<std::vector<std::string>>(
         "--quota", [flags](const std::vector<std::string>& texts) { SetQuotas(texts, flags); },
         "Maximum of a shared resource that one caller may hold, as a number or a percentage; "
         "repeatable (docs/operations.md)")
      ->option_text("NAME=N[%]")
      ->allow_extra_args(false)
      ->check(CheckQuota);
  app->add_option("--memory_budget", flags->memory_budget_mib,
                  "Memory for requests and answers: in transport, and while calls work on them")
      ->option_text("MIB [1024]")
      ->check(WholeNumber(16, 1 << 24, "MiB"));
  app->add_option("--drain_seconds", flags->drain_seconds,
                  "Time for running calls to finish after SIGTERM")
      ->option_text("N [20]")
      ->check(WholeNumber(0, 86'400, "seconds"));
}

void AddSecurityFlags(CLI::App* app, Flags* flags) {
  app->add_option("--auth_file", flags->auth_file,
                  "Identities and roles: MUNGE, tokens, certificates (docs/security.md); read "
                  "again when it changes")
      ->option_text("FILE");
  app->add_option("--tls_cert", flags->tls_cert,
                  "Certificate chain of the server, enables TLS; read again when it changes")
      ->option_text("FILE");
  app->add_option("--tls_key", flags->tls_key, "Private key of --tls_cert")->option_text("FILE");
  app->add_option("--tls_client_ca", flags->tls_client_ca,
                  "CA certificates; clients are asked for a certificate that one of them signed")
      ->option_text("FILE");
  app->add_option("--socket_mode", "Permissions of the socket of --listen=unix:PATH")
      ->option_text("MODE [0600]")
      ->check([flags](const std::string& text) { return ReadMode(text, &flags->socket_mode); });
  app->add_option("--socket_group", flags->socket_group, "Group of that socket")
      ->option_text("GROUP");
  AddSwitch(app, "--insecure", flags->insecure,
            "Listen beyond this host without --auth_file: every client is an administrator");
  app->add_option("--proxy_secret_file", flags->proxy_secret_file,
                  "Secret of the proxy in front of gRPC; what it states about its clients is "
                  "trusted (docs/operations.md)")
      ->option_text("FILE")
      ->needs("--auth_file");
  AddSwitch(app, "--expose_grpc", flags->expose_grpc,
            "Listen beyond this host without a proxy: any client can exhaust the memory "
            "(docs/security.md)");
}

void AddSiteFactorFlags(CLI::App* app, Flags* flags) {
  app->add_option("--site_factor_allow", flags->site_factor_allow,
                  "Services that a policy may name as PrioritySiteFactorPlugin, * matches any "
                  "characters; repeatable")
      ->option_text("HOST:PORT [loopback]")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check([](const std::string& pattern) {
        return std::string(site_factor::AllowedServices::CheckPattern(pattern).message());
      });
  app->add_option("--site_factor_ca", flags->site_factor_ca,
                  "CA certificates of these services, enables TLS to them")
      ->option_text("FILE");
  app->add_option("--site_factor_cert", flags->site_factor_cert,
                  "Client certificate for services that ask for one")
      ->option_text("FILE");
  app->add_option("--site_factor_key", flags->site_factor_key, "Private key of --site_factor_cert")
      ->option_text("FILE");
}

void AddMonitoringFlags(CLI::App* app, Flags* flags) {
  app->add_option("--http_listen", flags->http_listen,
                  "Address of the HTTP service, such as 127.0.0.1:7412: the page, the API as JSON "
                  "(docs/http.md), /metrics, /healthz and /readyz")
      ->option_text("HOST:PORT")
      ->check(CheckHttpAddress);
  AddSwitch(app, "--http_metrics_only", flags->http_metrics_only,
            "With --http_listen: serve neither the page nor the API")
      ->needs("--http_listen");
  app->add_option(
         "--http_allow_origin", flags->http_allow_origins,
         "Origin whose pages may read the API, such as https://portal.example.org; repeatable")
      ->option_text("ORIGIN")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckOrigin);
  app->add_option("--http_frame_ancestor", flags->http_frame_ancestors,
                  "Origin whose pages may show a user's card in a frame, such as "
                  "https://portal.example.org; repeatable")
      ->option_text("ORIGIN")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckOrigin);
  app->add_option("--http_host", flags->http_hosts,
                  "Additional host name that requests without credentials may address, from "
                  "browsers and Prometheus; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->needs("--http_listen")
      ->check(CheckHostName);
  app->add_option("--cell", flags->cell,
                  "Name of this database with its replicas among several (docs/scale.md), for the "
                  "status")
      ->option_text("NAME")
      ->check(CheckCellName);
  AddSwitch(app, "--metrics_accounts", flags->metrics_accounts,
            "With --http_listen: also export fair-share and usage of each account and user")
      ->needs("--http_listen");
}

void AddSignInFlags(CLI::App* app, Flags* flags) {
  app->add_option("--oidc_issuer", flags->oidc_issuer,
                  "OpenID provider by which readers of the page sign in, a TokenIssuer of the "
                  "--auth_file with UserClaim (docs/security.md)")
      ->option_text("URL");
  app->add_option("--oidc_client_id", flags->oidc_client_id,
                  "Name under which the page is registered with the provider")
      ->option_text("ID");
  app->add_option("--oidc_client_secret_file", flags->oidc_client_secret_file,
                  "Secret that the provider has given for it; without one the client is public")
      ->option_text("FILE");
  app->add_option("--oidc_page_url", flags->oidc_page_url,
                  "The page as browsers reach it, such as https://priority.example.org/; the "
                  "redirect URI to register is this with signin/done")
      ->option_text("URL");
  app->add_option("--oidc_session_key_file", flags->oidc_session_key_file,
                  "Secret that encrypts the sessions, the same on all replicas; a new one ends all "
                  "sessions")
      ->option_text("FILE");
  app->add_option("--oidc_session_hours", flags->oidc_session_hours,
                  "How long a session lasts after the sign-in")
      ->option_text("N [8]")
      ->check(WholeNumber(1, 168, "hours"));
  app->add_option("--oidc_scope", flags->oidc_scope,
                  "Scopes to request, those that bring the claim of UserClaim")
      ->option_text("WORDS [openid profile]");
  app->add_option("--oidc_ca", flags->oidc_ca,
                  "CA certificates of the provider instead of those of the host")
      ->option_text("FILE");
}

void AddRecalculationFlags(CLI::App* app, Flags* flags) {
  app->add_option(
         "--max_staleness", flags->max_staleness_seconds,
         "Health reports NOT_SERVING after the database has been unreachable for this long")
      ->option_text("SECONDS [600]")
      ->check(WholeNumber(11, 1'000'000'000, "seconds"));
  app->add_option("--max_commit", flags->max_commit_seconds,
                  "Health of priorityd.recording reports NOT_SERVING while a commit takes longer")
      ->option_text("SECONDS [30]")
      ->check(WholeNumber(1, 1'000'000'000, "seconds"));
  app->add_option("--max_clock_offset", flags->max_clock_offset_seconds,
                  "Do not lead while this host's clock differs more from the database's")
      ->option_text("SECONDS [10]")
      ->check(WholeNumber(1, 1'000'000'000, "seconds"));
  app->add_option("--recalculation_threads", flags->recalculation_threads,
                  "Clusters recalculated in parallel, each on its own database connection")
      ->option_text("N [4]")
      ->check(WholeNumber(1, 64, "threads"));
  app->add_option("--history_interval", flags->history_interval_seconds,
                  "Interval at which fair-share and usage are recorded for plots; 0 = never")
      ->option_text("SECONDS [3600]")
      ->check(WholeNumber(0, 1'000'000'000, "seconds"));
  app->add_option("--history_days", flags->history_days, "Retention of these records")
      ->option_text("DAYS [30]")
      ->check(WholeNumber(1, 36'500, "days"));
  app->add_option(
         "--forecast_interval", flags->forecast_interval_seconds,
         "Interval at which forecasts of starts learn from the tracked queues; 0 = make no "
         "forecasts")
      ->option_text("SECONDS [5]")
      ->check(WholeNumber(0, 86'400, "seconds"));
}

void AddLogFlags(CLI::App* app, Flags* flags) {
  app->add_option("--log_format", flags->log_format,
                  "Log format: text or json on stderr, or journal: entries with fields for "
                  "systemd's journal")
      ->option_text("FORMAT [text]")
      ->check(OneOf({"text", "json", "journal"}));
  app->add_option("--log_level", flags->log_level,
                  "Lowest level to log: trace, debug, info, warn or error")
      ->option_text("LEVEL [info]")
      ->check(OneOf({"trace", "debug", "info", "warn", "error"}));
  app->add_option(
         "--log_level_file", flags->log_level_file,
         "File whose first word overrides --log_level while it exists; read again at SIGHUP")
      ->option_text("FILE");
  app->add_option("--slow_call_ms", flags->slow_call_ms,
                  "Log a call that takes longer as a warning with slow=true")
      ->option_text("MS [1000]")
      ->check(WholeNumber(1, 1'000'000'000, "milliseconds"));
}

void AddConfigFlags(CLI::App* app, Flags* flags) {
  app->set_config("--config", "",
                  "Read flags from FILE too, `name = value` on each line; the command line "
                  "overrides it")
      ->option_text("FILE");
  AddSwitch(app, "--check_config", flags->check_config,
            "Check the flags and the files that they name, without the database, and exit");
  for (const char* name : {"--help", "--version", "--check_config", "--migrate_only", "--contract",
                           "--upgrade_postgres"}) {
    app->get_option(name)->configurable(false);
  }
  app->config_formatter(std::make_shared<SettingsReader>(app, &flags->settings));
}

// The output of --help or --version, also beside a file of --config that is wrong, which CLI11
// reads first; empty if neither is given.
std::string AnswerBeside(const CLI::App& app) {
  if (app.get_help_ptr()->count() > 0) return app.help();
  return app.get_version_ptr()->count() > 0 ? app.version() + "\n" : "";
}

}  // namespace

absl::StatusOr<Flags> ParseFlags(int argc, const char* const* argv) {
  Flags flags;
  UrlFiles url_files;
  CLI::App app(kDescription, "priorityd");
  app.set_help_flag("--help", "Print this and exit");
  app.set_version_flag("--version", std::string("priorityd ") + kVersion, "Print the version");
  app.footer(kFooter);
  AddDatabaseFlags(&app, &flags, &url_files);
  AddServerFlags(&app, &flags);
  AddSecurityFlags(&app, &flags);
  AddSiteFactorFlags(&app, &flags);
  AddMonitoringFlags(&app, &flags);
  AddSignInFlags(&app, &flags);
  AddRecalculationFlags(&app, &flags);
  AddLogFlags(&app, &flags);
  AddConfigFlags(&app, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    flags.answer = app.help();
    return flags;
  } catch (const CLI::CallForVersion& version) {
    flags.answer = std::string(version.what()) + "\n";
    return flags;
  } catch (const CLI::ConfigError& error) {
    flags.answer = AnswerBeside(app);
    if (!flags.answer.empty()) return flags;
    return absl::InvalidArgumentError(absl::StrCat(error.what(), " (see priorityd --help)"));
  } catch (const CLI::ExtrasError& error) {
    return UsageError(MayHoldPassword(error.what())
                          ? "got an argument that may hold a password, want a flag"
                          : error.what());
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  flags.config_file = ConfigFileOf(app);
  if (absl::Status s = CheckFlags(url_files, &flags); !s.ok()) return s;
  return flags;
}

}  // namespace priorityd::flags
