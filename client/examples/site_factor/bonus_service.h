// The SiteFactorService of the example.
#ifndef PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_BONUS_SERVICE_H_
#define PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_BONUS_SERVICE_H_

#include <string>
#include <utility>

#include "priority/v1/site_factor_service.grpc.pb.h"

namespace priorityd::site_factor_example {

// Gives each job the bonus of its account. Reads the file at each call, so that an
// edit counts from the next recalculation on; a file with a fault is
// FAILED_PRECONDITION, and priorityd's jobs keep their factors. Thread-safe.
class BonusService : public priority::v1::SiteFactorService::CallbackService {
 public:
  explicit BonusService(std::string path) : path_(std::move(path)) {}

  grpc::ServerUnaryReactor* GetSiteFactors(grpc::CallbackServerContext* context,
                                           const priority::v1::GetSiteFactorsRequest* request,
                                           priority::v1::GetSiteFactorsResponse* response) override;

 private:
  const std::string path_;
};

}  // namespace priorityd::site_factor_example

#endif  // PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_BONUS_SERVICE_H_
