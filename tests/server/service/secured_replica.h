// A replica that asks who is calling, and everybody's proofs.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_SECURED_REPLICA_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_SECURED_REPLICA_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/identity/authenticator.h"
#include "server/quotas/parts.h"
#include "server/transport/call_report.h"
#include "server/transport/server.h"
#include "server/transport/site_proxy.h"
#include "tests/server/identity/private_munged.h"
#include "tests/server/identity/signing_key.h"
#include "tests/temporary_folder.h"

namespace priorityd {
class Replica;
namespace forecasts {
class Books;
}  // namespace forecasts
namespace storage {
class Database;
}  // namespace storage
}  // namespace priorityd

namespace priorityd::rpc {

// Takes MUNGE, Slurm's tokens and those of the issuer https://k8s for audience `priorityd`, all at
// the time at which the tokens of slurm_tokens.h hold. Its cluster `c` is imported: `ope` is an
// operator, `adm` an administrator, `coo` coordinates account `a`; the services `collector`,
// `frontend`, `dashboard` and `provisioner` of k8s have those roles, and so has
// tls:`collector.example.org`.
class SecuredReplica {
 public:
  struct Options {
    std::string more_settings;  // Lines of the auth file.
    ServerOptions server = {.listen = {"127.0.0.1:0"}};
    std::string policy;  // Lines of slurm.conf.
    // By which tokens expire.
    identity::Authenticator::Clock clock;
    CallObservers call_observers;
    quotas::Parts quotas;
    SiteProxy proxy;
  };
  SecuredReplica() : SecuredReplica(Options()) {}
  explicit SecuredReplica(Options options);
  ~SecuredReplica();

  // See server/replica.h.
  Replica& replica() { return *replica_; }
  storage::Database& database();
  forecasts::Books& forecasts();
  // Reads AdminLevels and coordinators from the database.
  absl::Status ReadRoles();
  const identity::PrivateMunged& munged() const { return munged_; }
  const identity::SigningKey& k8s() const { return k8s_; }
  // Of --auth_file.
  std::string auth_file() const { return folder_.path() + "/auth.conf"; }
  const std::string& address();

  // Values of the metadata `authorization`. `exp` is when it expires, in Unix seconds; 0 = later.
  std::string SlurmToken(const std::string& user, int64_t exp = 0) const;
  std::string ServiceToken(const std::string& name, int64_t exp = 0) const;
  std::string Munge() const { return "MUNGE " + munged_.Credential(); }

  // Calls /SERVICE/METHOD with one message, whatever kind of call it is, and waits for the end, or
  // for the first answer of one that does not end. Empty `authorization` = none.
  grpc::Status Call(const std::string& method, const std::string& authorization,
                    const google::protobuf::Message* request = nullptr,
                    google::protobuf::Message* response = nullptr,
                    const std::string& header = "authorization",
                    const std::string& traceparent = "");
  // The same over another channel.
  static grpc::Status CallOn(const std::shared_ptr<grpc::Channel>& channel,
                             const std::string& method, const std::string& authorization,
                             const google::protobuf::Message* request = nullptr,
                             google::protobuf::Message* response = nullptr,
                             const std::string& header = "authorization",
                             const std::string& traceparent = "");

 private:
  void Import(const std::string& policy);

  const TemporaryFolder folder_;
  const identity::PrivateMunged munged_;
  const identity::SigningKey k8s_ = identity::SigningKey::Ec();
  std::unique_ptr<identity::Authenticator> authenticator_;
  std::unique_ptr<Replica> replica_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_SECURED_REPLICA_H_
