// Calls a site's SiteFactorService over gRPC.
#ifndef PRIORITYD_SERVER_RPC_SITE_FACTOR_CLIENT_H_
#define PRIORITYD_SERVER_RPC_SITE_FACTOR_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "priority/v1/site_factor_service.grpc.pb.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::rpc {

// One connection, made at the first call, without encryption: the service stands
// inside the site. Thread-safe.
class SiteFactorClient : public site_factor::SiteFactorService {
 public:
  // host:port
  explicit SiteFactorClient(const std::string& address);
  // REQUIRES: no call is at work.
  ~SiteFactorClient() override = default;

  void Ask(const site_factor::Question& question,
           std::function<void(site_factor::Answer)> done) override;
  void Cancel() override;

 private:
  struct Call;

  // Takes a call that has ended off the list.
  std::shared_ptr<Call> Remove(const Call* call);

  const std::unique_ptr<::priority::v1::SiteFactorService::Stub> stub_;
  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<const Call*, std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
};

// A new SiteFactorClient.
std::unique_ptr<site_factor::SiteFactorService> ConnectSiteFactorService(
    const std::string& address);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SITE_FACTOR_CLIENT_H_
