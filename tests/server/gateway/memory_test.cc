// What the memory budget counts of answers over HTTP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <latch>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/queue.pb.h"
#include "priority/v1/share.pb.h"
#include "server/replica.h"
#include "server/transport/admission.h"
#include "server/transport/worker_pool.h"
#include "tests/await.h"
#include "tests/server/gateway/http_site.h"
#include "tests/server/http/raw_connection.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using ::testing::HasSubstr;

constexpr char kSlurmJobs[] = "/slurm/v0.0.42/jobs";
constexpr char kWatch[] = "/v1/PriorityService/WatchRanking";
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
      Update(request);
    }
  }

  // Of them the first, so that as many others come to the top.
  void Remove(int count) {
    v1::UpdateJobsRequest request;
    for (int id = 1; id <= count; ++id) request.add_removals(absl::StrCat(id));
    Update(request);
  }

  HttpSite site_;

 private:
  void Update(const v1::UpdateJobsRequest& request) {
    const grpc::Status updated = site_.replica().Call("priority.v1.PriorityService/UpdateJobs",
                                                      site_.AuthorizationOf("ope"), &request);
    EXPECT_TRUE(updated.ok()) << updated.error_message();
  }
};

// Keeps a pool's threads busy.
class HeldPool {
 public:
  explicit HeldPool(rpc::WorkerPool& pool) : pool_(pool), begun_(pool.threads()) {
    for (int i = 0; i < pool.threads(); ++i) {
      pool.Schedule(absl::StrCat("held", i), [this] {
        begun_.count_down();
        go_on_.wait();
      });
    }
    begun_.wait();
  }
  ~HeldPool() {
    go_on_.count_down();
    pool_.AwaitIdle();
  }

 private:
  rpc::WorkerPool& pool_;
  std::latch begun_, go_on_{1};
};

TEST_F(MemoryTest, AnAnswerThatWaitsForAThreadTakesTheRoomOfItsBytes) {
  v1::ListSharesResponse answer;
  const grpc::Status asked = site_.replica().Call("priority.v1.PriorityService/ListShares",
                                                  site_.AuthorizationOf("ope"), nullptr, &answer);
  ASSERT_TRUE(asked.ok()) << asked.error_message();
  rpc::WorkerPool& answering = replica().pools().answering;
  for (const char* path : {"/v1/PriorityService/ListShares", "/slurm/v0.0.42/shares"}) {
    std::thread reader;
    {
      const HeldPool held(answering);
      reader = std::thread([&] { EXPECT_EQ(site_.Get(path, "ope")->status, 200); });
      EXPECT_TRUE(
          Await([&] { return answering.activity().queued == 1 && admission().calls() == 0; }));
      EXPECT_EQ(admission().bytes(), answer.ByteSizeLong()) << path;
    }
    reader.join();
    EXPECT_TRUE(IsUnused());
  }
}

// Two pages, of which each takes 39 MiB while it is read, and its rows then 28 MiB.
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

// Whether the text comes within a minute.
bool ReadUntil(http::RawConnection& reader, const std::string& text) {
  std::string all;
  for (const absl::Time deadline = absl::Now() + absl::Minutes(1);;) {
    if (absl::StrContains(all, text)) return true;
    const std::string some = reader.ReadSome();
    if (some.empty() || absl::Now() > deadline) return false;
    all += some;
  }
}

TEST_F(MemoryTest, AFirstEventWithoutRoomIsAnOrdinaryError) {
  Upsert(1'000);
  const rpc::Admission::Room others = LeaveOnly(256 << 10);
  const auto refused = site_.Post(kWatch, "ope", R"({"limit": 1000, "view": "RANK_VIEW_FULL"})");
  EXPECT_EQ(refused->status, 429) << refused->body;
  EXPECT_EQ(ReasonIn(refused->body), "MEMORY_BUDGET");
}

TEST_F(MemoryTest, ALaterEventWithoutRoomEndsTheStreamWithItsError) {
  Upsert(2'000);
  http::RawConnection reader(site_.address());
  reader.Send(
      absl::StrCat("GET ", kWatch,
                   "?limit=1000&view=RANK_VIEW_FULL HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ",
                   site_.AuthorizationOf("ope"), "\r\n\r\n"));
  ASSERT_TRUE(ReadUntil(reader, "}\n\n"));
  const rpc::Admission::Room others = LeaveOnly(256 << 10);
  Remove(1'000);
  EXPECT_TRUE(ReadUntil(reader, "event: error\ndata: {\"code\":8,\"message\":\"--memory_budget: "));
}

}  // namespace
}  // namespace priorityd::gateway
