// Plans that nobody needs any more.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/scheduling/planned_queue.h"
#include "priority/v1/plan.pb.h"
#include "server/api/plans/plan_starts.h"
#include "server/api/plans/suggest_preemption.h"
#include "server/threads/work_scope.h"
#include "server/transport/caller.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// A hundred jobs wait for one node.
class GoneCallerTest : public testing::Test {
 protected:
  GoneCallerTest() : snapshot_(site_.Build()) {
    for (int i = 0; i < 100; ++i) ids_.push_back(absl::StrCat(i));
    for (const std::string& id : ids_) {
      priority::Job& job = jobs_.emplace_back(priority::JobOf(id));
      job.cpus = 8;
      job.time_limit = absl::Hours(1);
    }
    ranking_ = priority::Rank(*snapshot_, jobs_, {.as_of = priority::kNow});
    v1::NodeType& type = *description_.add_node_types();
    type.set_name("n");
    type.set_nodes(1);
    (*type.mutable_tres())["cpu"] = 8;
  }

  absl::Status Check() { return ++asked_ > 10 ? absl::CancelledError("gone") : absl::OkStatus(); }

  priority::SmallSite site_;
  const std::unique_ptr<const priority::Snapshot> snapshot_;
  std::vector<std::string> ids_;
  std::vector<priority::Job> jobs_;
  priority::Ranking ranking_;
  v1::ClusterDescription description_;
  int asked_ = 0;
};

TEST_F(GoneCallerTest, APlanEndsWithinOneJob) {
  const auto check = [this] { return Check(); };
  const threads::WorkScope scope(check);
  v1::PlanStartsResponse response;
  const scheduling::PlannedQueue queue{*snapshot_, jobs_, ranking_, priority::kNow};
  EXPECT_EQ(PlanStarts({}, queue, description_, {}, &response), absl::CancelledError("gone"));
  EXPECT_LT(asked_, 15);
  EXPECT_EQ(response.starts_size(), 0);
}

TEST_F(GoneCallerTest, NoVictimsAreSearched) {
  asked_ = 10;
  const auto check = [this] { return Check(); };
  const threads::WorkScope scope(check);
  v1::SuggestPreemptionRequest request;
  request.set_job_id("1");
  v1::SuggestPreemptionResponse response;
  const scheduling::PlannedQueue queue{*snapshot_, jobs_, ranking_, priority::kNow};
  EXPECT_EQ(SuggestPreemption(queue, description_, request, &response),
            absl::CancelledError("gone"));
}

}  // namespace
}  // namespace priorityd::rpc
