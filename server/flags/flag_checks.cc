#include "server/flags/flag_checks.h"

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/logging/journal.h"

namespace priorityd::flags {
namespace {

constexpr size_t kMostAddresses = 16;
constexpr size_t kMostOrigins = 16;
constexpr int kMessagesInBudget = 16;
constexpr int kLargestMessageMib = 64;

// The first line of `file`.
absl::StatusOr<std::string> ReadUrl(const char* flag, const std::string& file) {
  std::ifstream stream(file);
  std::string url;
  if (stream && std::getline(stream, url) && !url.empty()) return url;
  const bool is_url = file.find("://") != file.npos || file.find('=') != file.npos;
  return UsageError(absl::StrCat(flag, "_file: got ", is_url ? "a URL" : file,
                                 ", want a file whose first line is a URL"));
}

// Sets the URL of `flag` from its file, if that is given.
absl::Status SetUrl(const char* flag, const char* variable, const std::string& file,
                    std::string* url) {
  if (file.empty()) return absl::OkStatus();
  if (!url->empty()) {
    return UsageError(
        absl::StrCat(flag, "_file: got ", flag, " or ", variable, " too, want one of them"));
  }
  absl::StatusOr<std::string> read = ReadUrl(flag, file);
  if (read.ok()) *url = *std::move(read);
  return read.status();
}

// Sets the URLs from the files and checks that exactly one database is given.
absl::Status ChooseDatabase(const UrlFiles& files, Flags* flags) {
  absl::Status set =
      SetUrl("--database_url", kDatabaseVariable, files.database, &flags->database_url);
  if (set.ok()) {
    set = SetUrl("--reports_database_url", kReportsDatabaseVariable, files.reports,
                 &flags->reports_database_url);
  }
  if (!set.ok()) return set;
  if (!flags->data_dir.empty() && !flags->reports_database_url.empty()) {
    return UsageError("--reports_database_url: got --data_dir, want a standby of --database_url");
  }
  if (flags->data_dir.empty() && (!flags->backup_dir.empty() || flags->upgrade_postgres)) {
    return UsageError(absl::StrCat(flags->upgrade_postgres ? "--upgrade_postgres" : "--backup_dir",
                                   ": got no --data_dir, want the embedded PostgreSQL's"));
  }
  if (flags->data_dir.empty() != flags->database_url.empty()) return absl::OkStatus();
  return UsageError(flags->data_dir.empty()
                        ? "--data_dir or --database_url: got neither, want one of them"
                        : "--data_dir and --database_url: got both, want one of them");
}

absl::Status CheckAddresses(const Flags& flags) {
  if (flags.listen.size() > kMostAddresses) {
    return UsageError(absl::StrCat("--listen: got ", flags.listen.size(),
                                   " addresses, want at most ", kMostAddresses));
  }
  if (!IsGrpcExposed(flags)) return absl::OkStatus();
  const std::string address =
      *std::find_if_not(flags.listen.begin(), flags.listen.end(), IsLocalAddress);
  if (flags.auth_file.empty() && !flags.insecure) {
    return UsageError(
        absl::StrCat("--listen: got ", address,
                     " without --auth_file, want an address of this host alone (127.0.0.1:PORT, "
                     "unix:PATH): every client would be an administrator; --insecure allows it"));
  }
  if (flags.expose_grpc) return absl::OkStatus();
  return UsageError(absl::StrCat(
      "--listen: got ", address,
      ", want an address of this host alone (127.0.0.1:PORT, unix:PATH) and HAProxy in front: any "
      "client of gRPC can exhaust the memory (docs/security.md); --expose_grpc allows it"));
}

// The metrics' only authentication is a client certificate.
absl::Status CheckHttpListen(const Flags& flags) {
  if (flags.http_listen.empty() || flags.insecure || IsLocalAddress(flags.http_listen) ||
      !flags.tls_client_ca.empty()) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat(
      "--http_listen: got ", flags.http_listen,
      " without --tls_client_ca, want an address of this host alone (127.0.0.1:PORT): any client "
      "could read how many jobs and records each cluster has; --insecure allows it"));
}

absl::Status CheckOrigins(const char* flag, const std::vector<std::string>& origins) {
  if (origins.size() <= kMostOrigins) return absl::OkStatus();
  return UsageError(absl::StrCat(flag, ": got ", origins.size(), ", want at most ", kMostOrigins));
}

absl::Status CheckSecurity(const Flags& flags) {
  absl::Status origins = CheckOrigins("--http_allow_origin", flags.http_allow_origins);
  origins.Update(CheckOrigins("--http_frame_ancestor", flags.http_frame_ancestors));
  origins.Update(CheckOrigins("--http_host", flags.http_hosts));
  if (!origins.ok()) return origins;
  if (flags.tls_cert.empty() != flags.tls_key.empty()) {
    return UsageError("--tls_cert and --tls_key: got one of them, want both or none");
  }
  if (!flags.tls_client_ca.empty() && (flags.tls_cert.empty() || flags.auth_file.empty())) {
    return UsageError(
        "--tls_client_ca: want --tls_cert, --tls_key and an --auth_file with roles for the names "
        "in certificates");
  }
  return CheckAddresses(flags);
}

// All or none of the flags of the sign-in.
absl::Status CheckSignIn(const Flags& flags) {
  const struct {
    const char* name;
    const std::string& value;
  } kNeeded[] = {{"--oidc_client_id", flags.oidc_client_id},
                 {"--oidc_page_url", flags.oidc_page_url},
                 {"--oidc_session_key_file", flags.oidc_session_key_file},
                 {"--auth_file", flags.auth_file},
                 {"--http_listen", flags.http_listen}};
  if (flags.oidc_issuer.empty()) {
    const bool has_any = !flags.oidc_client_id.empty() || !flags.oidc_page_url.empty() ||
                         !flags.oidc_session_key_file.empty() ||
                         !flags.oidc_client_secret_file.empty() || !flags.oidc_ca.empty();
    return has_any ? UsageError("--oidc_issuer: got none, want it with other --oidc_ flags")
                   : absl::OkStatus();
  }
  for (const auto& flag : kNeeded) {
    if (flag.value.empty()) {
      return UsageError(absl::StrCat(flag.name, ": got none, want it with --oidc_issuer"));
    }
  }
  if (flags.http_metrics_only) {
    return UsageError("--oidc_issuer: got --http_metrics_only too, want the page, or no sign-in");
  }
  const std::string scopes = absl::StrCat(" ", flags.oidc_scope, " ");
  if (scopes.find(" openid ") == std::string::npos) {
    return UsageError(
        absl::StrCat("--oidc_scope: got ", flags.oidc_scope, ", want openid among the words"));
  }
  return absl::OkStatus();
}

// gRPC's transport gets a quarter of the budget, and fails most calls whose messages come near to
// that quota.
absl::Status ChooseLargestMessage(Flags* flags) {
  const int most = flags->memory_budget_mib / kMessagesInBudget;
  if (flags->max_message_mib == 0) flags->max_message_mib = std::min(most, kLargestMessageMib);
  if (flags->max_message_mib <= most) return absl::OkStatus();
  return UsageError(absl::StrCat("--max_message_mib: got ", flags->max_message_mib,
                                 ", want at most ", most, ", a sixteenth of --memory_budget"));
}

// Lines for a journal that is not there would be lost.
absl::Status CheckLog(const Flags& flags) {
  if (flags.log_format != "journal" || logging::HasJournal()) return absl::OkStatus();
  return UsageError("--log_format: got journal, want text or json: journald does not run here");
}

absl::Status CheckSiteFactor(const Flags& flags) {
  if (flags.site_factor_cert.empty() != flags.site_factor_key.empty()) {
    return UsageError(
        "--site_factor_cert and --site_factor_key: got one of them, want both or none");
  }
  if (flags.site_factor_ca.empty() && !flags.site_factor_cert.empty()) {
    return UsageError(
        "--site_factor_cert: got no --site_factor_ca, want one: client certificates need TLS");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status UsageError(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return absl::InvalidArgumentError(message + " (see priorityd --help)");
}

absl::Status CheckFlags(const UrlFiles& url_files, Flags* flags) {
  if (absl::Status s = ChooseDatabase(url_files, flags); !s.ok()) return s;
  if (absl::Status s = ChooseLargestMessage(flags); !s.ok()) return s;
  if (absl::Status s = CheckSecurity(*flags); !s.ok()) return s;
  if (absl::Status s = CheckSiteFactor(*flags); !s.ok()) return s;
  if (absl::Status s = CheckSignIn(*flags); !s.ok()) return s;
  if (absl::Status s = CheckLog(*flags); !s.ok()) return s;
  return CheckHttpListen(*flags);
}

bool ServesHttpApi(const Flags& flags) {
  if (flags.http_listen.empty() || flags.http_metrics_only) return false;
  if (!flags.auth_file.empty()) return true;
  const bool local = IsLocalAddress(flags.http_listen);
  return std::any_of(flags.listen.begin(), flags.listen.end(), [local](const std::string& listen) {
    return listen.rfind("unix:", 0) != 0 && (local || !IsLocalAddress(listen));
  });
}

bool IsGrpcExposed(const Flags& flags) {
  return !std::all_of(flags.listen.begin(), flags.listen.end(), IsLocalAddress);
}

bool IsLocalAddress(const std::string& listen) {
  const std::string host = listen.substr(0, listen.rfind(':'));
  const bool loopback =
      host.rfind("127.", 0) == 0 && host.find_first_not_of("0123456789.") == std::string::npos;
  return listen.rfind("unix:", 0) == 0 || host == "localhost" || host == "[::1]" || loopback;
}

}  // namespace priorityd::flags
