#include "client/prioctl/global_options.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"

namespace priorityd::prioctl {

std::string DefaultServer(const std::string& socket) {
  return access(socket.c_str(), W_OK) == 0 ? "unix:" + socket : "127.0.0.1:7411";
}

void AddGlobalOptions(CLI::App& app, CommandLine& line) {
  line.server = DefaultServer(kServiceSocket);
  app.add_option("--server", line.server,
                 "Address of priorityd, host:port or unix:PATH; of several the first that answers")
      ->envname("PRIORITYD_SERVER")
      ->type_name("ADDRESS[,ADDRESS...]")
      ->capture_default_str();
  app.add_option("--cluster", line.cluster,
                 "Cluster; default that in PRIORITYD_CLUSTER, otherwise the only one")
      ->type_name("NAME");
  app.add_option_function<double>(
         "--timeout",
         [&line](double seconds) {
           line.timeout = seconds > 0 ? absl::Seconds(seconds) : absl::InfiniteDuration();
         },
         "Give up a call after so many seconds; 0 = never; default 300")
      ->check(NotNegative())
      ->type_name("SECONDS");
}

void AddSecurityOptions(CLI::App& app, CommandLine& line) {
  app.add_option(
         "--auth", line.proof.proof,
         "Authenticate by: auto (a token if there is one, otherwise MUNGE), token, munge, none")
      ->transform(OneOf({{"auto", static_cast<int>(client::Proof::kAutomatic)},
                         {"token", static_cast<int>(client::Proof::kToken)},
                         {"munge", static_cast<int>(client::Proof::kMunge)},
                         {"none", static_cast<int>(client::Proof::kNone)}}))
      ->envname("PRIORITYD_AUTH")
      ->type_name("PROOF");
  app.add_option("--token-file", line.proof.token_file,
                 "A JSON web token; default the one in SLURM_JWT, see scontrol token")
      ->envname("PRIORITYD_TOKEN_FILE")
      ->type_name("FILE");
  app.add_option("--munge-socket", line.proof.munge_socket,
                 "Socket of munged, if not the usual one")
      ->envname("PRIORITYD_MUNGE_SOCKET")
      ->type_name("FILE");
  app.add_option("--tls-ca", line.tls.ca,
                 "CA certificates, enables TLS to servers that one of them signed")
      ->envname("PRIORITYD_TLS_CA")
      ->type_name("FILE");
  CLI::Option* certificate =
      app.add_option("--tls-cert", line.tls.certificate, "Client certificate");
  CLI::Option* key = app.add_option("--tls-key", line.tls.key, "Private key of --tls-cert");
  certificate->type_name("FILE")->needs(key)->needs("--tls-ca");
  key->type_name("FILE")->needs(certificate);
}

void SettleCluster(CommandLine& line) {
  const std::string& named = line.named_cluster;
  if (line.cluster.empty()) line.cluster = named;
  if (!named.empty() && !absl::EqualsIgnoreCase(line.cluster, named)) {
    throw CLI::ValidationError("--cluster", absl::StrCat("got ", line.cluster, ", want ", named,
                                                         ", which the command names, or none"));
  }
  const char* cluster = std::getenv("PRIORITYD_CLUSTER");
  if (!line.cluster.empty() || cluster == nullptr || *cluster == '\0') return;
  line.cluster = cluster;
  line.cluster_from_environment = true;
}

}  // namespace priorityd::prioctl
