// The files that flags name, opened.
#ifndef PRIORITYD_SERVER_OPENED_FILES_H_
#define PRIORITYD_SERVER_OPENED_FILES_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "server/files/group_file.h"
#include "server/flags/flags.h"
#include "server/identity/authenticator.h"
#include "server/sign_in/sign_in.h"
#include "server/transport/site_proxy.h"

namespace priorityd {

struct OpenedFiles {
  std::unique_ptr<identity::Authenticator> authenticator;  // Null without --auth_file.
  std::unique_ptr<files::GroupFile> groups;                // Null without --group_file.
  rpc::SiteProxy proxy;                                    // None without --proxy_secret_file.
  std::optional<sign_in::Options> sign_in;                 // None without --oidc_issuer.
};

// Opens them, and checks the certificates and the form of the databases' URLs. `FLAG: reason` if
// one cannot be used.
absl::StatusOr<OpenedFiles> OpenFiles(const flags::Flags& flags);

// Logs how far flags leave the service open.
void WarnOfOpenness(const flags::Flags& flags);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_OPENED_FILES_H_
