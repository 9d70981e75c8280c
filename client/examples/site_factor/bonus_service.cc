#include "client/examples/site_factor/bonus_service.h"

#include <grpcpp/grpcpp.h>

#include "client/examples/site_factor/account_bonus.h"

namespace priorityd::site_factor_example {

namespace v1 = priority::v1;

grpc::ServerUnaryReactor* BonusService::GetSiteFactors(grpc::CallbackServerContext* context,
                                                       const v1::GetSiteFactorsRequest* request,
                                                       v1::GetSiteFactorsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const absl::StatusOr<AccountBonus> bonuses = ReadAccountBonus(path_);
  if (!bonuses.ok()) {
    reactor->Finish(
        {grpc::StatusCode::FAILED_PRECONDITION, std::string(bonuses.status().message())});
    return reactor;
  }
  for (const v1::Job& job : request->jobs()) {
    v1::SiteFactor* factor = response->add_site_factors();
    factor->set_job_id(job.job_id());
    const auto bonus = bonuses->find(job.account());
    factor->set_site_factor(bonus == bonuses->end() ? 0 : bonus->second);
  }
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace priorityd::site_factor_example
