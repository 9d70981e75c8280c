// What the memory budget counts of answers over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "priority/v1/queue.pb.h"
#include "server/transport/admission.h"
#include "tests/await.h"
#include "tests/server/gateway/http_site.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using ::testing::HasSubstr;

constexpr char kSlurmJobs[] = "/slurm/v0.0.42/jobs";
constexpr int kJobsOfOneUpdate = 5'000;

class MemoryTest : public testing::Test {
 protected:
  Replica& replica() { return site_.replica().replica(); }
  rpc::Admission& admission() { return replica().boundary().admission(); }
  bool IsUnused() {
    return Await([&] { return admission().bytes() == 0; });
  }

  // Takes the rest of the budget.
  rpc::Admission::Room LeaveOnly(size_t bytes) {
    EXPECT_TRUE(IsUnused());
    auto room = admission().Reserve(admission().most_bytes() - bytes);
    EXPECT_TRUE(room.ok()) << room.status();
    return *std::move(room);
  }

  // Tracks jobs 1 to `count`.
  void Upsert(int count) {
    for (int id = 1; id <= count;) {
      v1::UpdateJobsRequest request;
      for (int i = 0; i < kJobsOfOneUpdate && id <= count; ++i, ++id) {
        v1::Job& job = *request.add_upserts();
        job.set_job_id(absl::StrCat(id));
        job.set_user("amy");
        job.set_cpus(1);
      }
      const grpc::Status updated = site_.replica().Call("priority.v1.PriorityService/UpdateJobs",
                                                        site_.AuthorizationOf("ope"), &request);
      ASSERT_TRUE(updated.ok()) << updated.error_message();
    }
  }

  HttpSite site_;
};

// Two pages, of which each takes 37 MiB while it is read, and its rows then 29 MiB.
TEST_F(MemoryTest, TheRowsOfAListTakeRoomUntilItIsWhole) {
  Upsert(20'000);
  {
    const rpc::Admission::Room others = LeaveOnly(48 << 20);
    const auto refused = site_.Get(kSlurmJobs, "ope");
    EXPECT_EQ(refused->status, 429);
    EXPECT_EQ(refused->get_header_value("Retry-After"), "1");
    const auto answer = nlohmann::json::parse(refused->body);
    EXPECT_THAT(answer["errors"][0]["description"].get<std::string>(),
                HasSubstr("--memory_budget: got a request of "));
    EXPECT_EQ(answer["jobs"], nlohmann::json::array());
  }
  const auto whole = site_.Get(kSlurmJobs, "ope");
  ASSERT_EQ(whole->status, 200);
  EXPECT_EQ(nlohmann::json::parse(whole->body)["jobs"].size(), 20'000u);
  EXPECT_TRUE(IsUnused());
}

}  // namespace
}  // namespace priorityd::gateway
