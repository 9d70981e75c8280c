// Palmetto's limit on submission (https://docs.rcd.clemson.edu/palmetto/about/job_scheduler/).
#include <gtest/gtest.h>

#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"

namespace priorityd::rpc {
namespace {

using palmetto::At;
using palmetto::Runs;
using palmetto::Waits;

// "Users may have no more than 3000 jobs in the pending or running state (combined) at one time."
TEST(PalmettoLimitsTest, AUserMayHave3000JobsThatWaitOrRun) {
  TestService service;
  v1::ImportRequest site = palmetto::Site();
  std::string& dump = *site.mutable_files(2)->mutable_content();
  dump.replace(dump.find("Cluster - 'palmetto':"), 21, "Cluster - 'palmetto':MaxSubmitJobs=3000:");
  Import(service, site);
  service.SetNow(At(9, 0));
  v1::Job array = Waits("array", At(9, 0), 1, 60);
  array.set_array_tasks(2998);
  v1::Job more = Waits("more", At(9, 0), 1, 60);
  v1::Job of_ben = Waits("ben's", At(9, 0), 1, 60);
  of_ben.set_user("ben");
  const auto taken = UpdateJobs(
      service, Upserts({Runs("runs", At(8, 0), 1, 600), array, Waits("last", At(9, 0), 1, 60)}));
  for (const auto& result : taken.upserts()) {
    EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED) << result.message();
  }
  const auto refused = UpdateJobs(service, Upserts({more, of_ben}));
  EXPECT_EQ(refused.upserts(0).reason(), "AssocMaxSubmitJobLimit");
  EXPECT_EQ(refused.upserts(1).outcome(), v1::UPDATE_OUTCOME_UPSERTED) << "each user has 3000";
  v1::Job ended = Runs("runs", At(8, 0), 1, 600);
  ended.set_state(v1::JOB_STATE_COMPLETED);
  UpdateJobs(service, Upserts({ended}));
  EXPECT_EQ(UpdateJobs(service, Upserts({more})).upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
}

}  // namespace
}  // namespace priorityd::rpc
