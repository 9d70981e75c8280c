#include "server/opened_files.h"

#include <spdlog/spdlog.h>

#include <fstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/api/site_factor/site_factor_tls.h"
#include "server/identity/shared_secret.h"
#include "server/sign_in/web_client.h"
#include "server/transport/server_credentials.h"
#include "storage/database/connection_string.h"

namespace priorityd {
namespace {

absl::Status OfFlag(const char* flag, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(flag, ": ", status.message()));
}

// `status` with the line of the file that has this value of the flag, if one has.
absl::Status AtLine(const flags::Flags& flags, absl::string_view name, absl::string_view value,
                    const absl::Status& status) {
  for (const flags::Setting& setting : flags.settings) {
    if (setting.name != name || setting.value != value) continue;
    return absl::Status(status.code(),
                        absl::StrCat(flags.config_file, ":", setting.line, ": ", status.message()));
  }
  return status;
}

// Whether libpq can read the URLs; nothing is connected to.
absl::Status CheckDatabaseUrls(const flags::Flags& flags) {
  const std::string& url = flags.database_url;
  const absl::Status read =
      url.empty() ? absl::OkStatus() : storage::CompleteConnectionString(url).status();
  if (!read.ok()) return AtLine(flags, "database_url", url, read);
  const std::string& reports = flags.reports_database_url;
  const absl::Status standby =
      reports.empty() ? absl::OkStatus() : storage::StandbyConnectionString(reports).status();
  return standby.ok() ? standby : AtLine(flags, "reports_database_url", reports, standby);
}

absl::Status OpenAuthenticator(const flags::Flags& flags, OpenedFiles* files) {
  if (flags.auth_file.empty()) return absl::OkStatus();
  auto authenticator = identity::Authenticator::Open(flags.auth_file, absl::Now);
  if (!authenticator.ok()) return OfFlag("--auth_file", authenticator.status());
  (*authenticator)->calls().SetParts(flags.quotas);
  (*authenticator)->failures().SetParts(flags.quotas);
  files->authenticator = *std::move(authenticator);
  return absl::OkStatus();
}

absl::Status OpenProxy(const flags::Flags& flags, OpenedFiles* files) {
  if (flags.proxy_secret_file.empty()) return absl::OkStatus();
  auto secret = identity::SharedSecret::Read(flags.proxy_secret_file);
  if (!secret.ok()) return OfFlag("--proxy_secret_file", secret.status());
  files->proxy = rpc::SiteProxy(*std::move(secret));
  return absl::OkStatus();
}

absl::Status CheckSignInUrl(const char* flag, const std::string& url) {
  return OfFlag(flag, sign_in::CheckUrl(url));
}

// The authenticator is open.
absl::Status OpenSignIn(const flags::Flags& flags, OpenedFiles* files) {
  if (flags.oidc_issuer.empty()) return absl::OkStatus();
  absl::Status checked = CheckSignInUrl("--oidc_issuer", flags.oidc_issuer);
  checked.Update(OfFlag("--oidc_issuer", files->authenticator->CheckIssuer(flags.oidc_issuer)));
  checked.Update(CheckSignInUrl("--oidc_page_url", flags.oidc_page_url));
  if (checked.ok() && flags.oidc_page_url.back() != '/') {
    checked = absl::InvalidArgumentError(
        absl::StrCat("--oidc_page_url: got ", flags.oidc_page_url, ", want it with / at its end"));
  }
  if (!checked.ok()) return checked;
  sign_in::Options options = {.page_url = flags.oidc_page_url,
                              .issuer = flags.oidc_issuer,
                              .client = {.id = flags.oidc_client_id},
                              .scope = flags.oidc_scope,
                              .ca_file = flags.oidc_ca,
                              .session_time = absl::Hours(flags.oidc_session_hours),
                              .authenticator = files->authenticator.get(),
                              .clock = absl::Now};
  auto key = identity::SharedSecret::Read(flags.oidc_session_key_file);
  if (!key.ok()) return OfFlag("--oidc_session_key_file", key.status());
  options.key = key->text();
  if (!flags.oidc_client_secret_file.empty()) {
    auto secret = identity::ReadSecretLine(flags.oidc_client_secret_file, 1,
                                           identity::SharedSecret::kMostBytes);
    if (!secret.ok()) return OfFlag("--oidc_client_secret_file", secret.status());
    options.client.secret = *std::move(secret);
  }
  if (!flags.oidc_ca.empty() && !std::ifstream(flags.oidc_ca).good()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--oidc_ca: got ", flags.oidc_ca, ", want a file that can be read"));
  }
  files->sign_in = std::move(options);
  return absl::OkStatus();
}

absl::Status OpenGroups(const flags::Flags& flags, OpenedFiles* files) {
  if (flags.group_file.empty()) return absl::OkStatus();
  auto file = files::GroupFile::Open(flags.group_file);
  if (!file.ok()) return OfFlag("--group_file", file.status());
  files->groups = *std::move(file);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpenedFiles> OpenFiles(const flags::Flags& flags) {
  OpenedFiles files;
  if (absl::Status s = CheckDatabaseUrls(flags); !s.ok()) return s;
  if (absl::Status s = OpenAuthenticator(flags, &files); !s.ok()) return s;
  if (absl::Status s = OpenGroups(flags, &files); !s.ok()) return s;
  if (absl::Status s = OpenProxy(flags, &files); !s.ok()) return s;
  if (absl::Status s = OpenSignIn(flags, &files); !s.ok()) return s;
  const auto credentials =
      rpc::MakeServerCredentials({flags.tls_cert, flags.tls_key, flags.tls_client_ca});
  if (!credentials.ok()) return credentials.status();
  absl::Status s = rpc::CheckSiteFactorTls(
      {flags.site_factor_ca, flags.site_factor_cert, flags.site_factor_key});
  if (!s.ok()) return s;
  return files;
}

void WarnOfOpenness(const flags::Flags& flags) {
  const bool local = !flags::IsGrpcExposed(flags);
  if (flags.auth_file.empty()) {
    spdlog::warn("no --auth_file: {} is an administrator of this service",
                 local ? "every user of this host" : "every client that can connect");
  } else if (!local && flags.tls_cert.empty()) {
    spdlog::warn("no --tls_cert: tokens and calls are not encrypted");
  }
  if (!local) {
    spdlog::warn(
        "--expose_grpc: any client of gRPC can exhaust its memory with endless headers, and delay "
        "others with calls that it resets at once; docs/operations.md, Behind HAProxy");
  }
}

}  // namespace priorityd
