#include "server/opened_files.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/api/site_factor/site_factor_client.h"
#include "server/identity/shared_secret.h"
#include "server/transport/server_credentials.h"

namespace priorityd {
namespace {

absl::Status OfFlag(const char* flag, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(flag, ": ", status.message()));
}

absl::Status OpenAuthenticator(const Flags& flags, OpenedFiles* files) {
  if (flags.auth_file.empty()) return absl::OkStatus();
  auto authenticator = identity::Authenticator::Open(flags.auth_file, absl::Now);
  if (!authenticator.ok()) return OfFlag("--auth_file", authenticator.status());
  (*authenticator)->calls().SetParts(flags.quotas);
  (*authenticator)->failures().SetParts(flags.quotas);
  files->authenticator = *std::move(authenticator);
  return absl::OkStatus();
}

absl::Status OpenProxy(const Flags& flags, OpenedFiles* files) {
  if (flags.proxy_secret_file.empty()) return absl::OkStatus();
  auto secret = identity::SharedSecret::Read(flags.proxy_secret_file);
  if (!secret.ok()) return OfFlag("--proxy_secret_file", secret.status());
  files->proxy = rpc::SiteProxy(*std::move(secret));
  return absl::OkStatus();
}

absl::Status OpenGroups(const Flags& flags, OpenedFiles* files) {
  if (flags.group_file.empty()) return absl::OkStatus();
  auto file = files::GroupFile::Open(flags.group_file);
  if (!file.ok()) return OfFlag("--group_file", file.status());
  files->groups = *std::move(file);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OpenedFiles> OpenFiles(const Flags& flags) {
  OpenedFiles files;
  if (absl::Status s = OpenAuthenticator(flags, &files); !s.ok()) return s;
  if (absl::Status s = OpenGroups(flags, &files); !s.ok()) return s;
  if (absl::Status s = OpenProxy(flags, &files); !s.ok()) return s;
  const auto credentials =
      rpc::MakeServerCredentials({flags.tls_cert, flags.tls_key, flags.tls_client_ca});
  if (!credentials.ok()) return credentials.status();
  absl::Status s = rpc::CheckSiteFactorTls(
      {flags.site_factor_ca, flags.site_factor_cert, flags.site_factor_key});
  if (!s.ok()) return s;
  return files;
}

void WarnOfOpenness(const Flags& flags) {
  const bool local = !IsGrpcExposed(flags);
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
