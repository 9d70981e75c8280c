// Calls a site's SiteFactorService over gRPC.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_

#include <grpcpp/security/credentials.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "priority/v1/site_factor_service.grpc.pb.h"
#include "server/site_factor/allowed_services.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::rpc {

// TLS to the services. PEM files, read again for each connection.
struct SiteFactorTls {
  std::string ca;           // The trusted CAs. Empty = no TLS.
  std::string certificate;  // The client certificate for services that request one, and its key;
                            // both or none.
  std::string key;
};

// FAILED_PRECONDITION if a file cannot be read or contains no PEM of its kind.
absl::Status CheckSiteFactorTls(const SiteFactorTls& tls);

// One connection, made at the first call. Thread-safe.
class SiteFactorClient : public site_factor::SiteFactorService {
 public:
  // host:port
  SiteFactorClient(const std::string& address,
                   const std::shared_ptr<grpc::ChannelCredentials>& credentials);
  // REQUIRES: no call is running.
  ~SiteFactorClient() override = default;

  void Ask(const site_factor::Question& question,
           std::function<void(site_factor::Answer)> done) override;
  void Cancel() override;

 private:
  struct Call;

  // Removes a finished call from the list.
  std::shared_ptr<Call> Remove(const Call* call);

  const std::unique_ptr<::priority::v1::SiteFactorService::Stub> stub_;
  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<const Call*, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

// A new SiteFactorClient. If the service is not allowed or a TLS file is invalid, one whose calls
// fail with the reason.
std::unique_ptr<site_factor::SiteFactorService> ConnectSiteFactorService(
    const std::string& address, const SiteFactorTls& tls,
    const site_factor::AllowedServices& allowed);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CLIENT_H_
