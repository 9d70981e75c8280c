// Callers that do not wait for the answer of a read: their statements end, and nobody notices it.
// Of a change: it is not made if it has not begun to be stored.
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/transport/server.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/server/http/raw_connection.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/reported_calls.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/held_lock.h"

namespace priorityd::rpc {
namespace {

using ::priorityd::storage::HeldLock;

constexpr char kLockAudit[] = "LOCK TABLE priorityd.audit_event IN ACCESS EXCLUSIVE MODE";
// Sooner than a statement that waits for a lock leaves its thread.
constexpr absl::Duration kSoon = absl::Seconds(8);

// The audit log is locked.
class VanishedCallersTest : public ::testing::Test {
 protected:
  VanishedCallersTest() {
    v1::ImportRequest site = SmallSite();
    site.set_cluster("c");
    Import(service_, site);
    reported_.Take();
    lock_ = std::make_unique<HeldLock>(service_.database_url(), kLockAudit);
  }

  grpc::Status Audit(grpc::ClientContext* context) {
    v1::ListAuditEventsRequest request;
    request.set_cluster("c");
    v1::ListAuditEventsResponse response;
    return AdminStub(service_).ListAuditEvents(context, request, &response);
  }

  bool StatementsEnd() {
    return Await([&] { return lock_->Waiters() == 0; });
  }
  // The only call's end is its caller's, and no failure of the database: a statement that gives a
  // lock up by itself is one.
  void ExpectCallerHasGone() {
    const std::vector<CallReport> reports = reported_.Take();
    ASSERT_EQ(reports.size(), 1);
    const absl::Status& status = reports[0].status;
    EXPECT_TRUE(absl::IsCancelled(status) || absl::IsDeadlineExceeded(status)) << status;
    EXPECT_EQ(service_.database().Activity().statement_failures, 0);
    EXPECT_EQ(service_.database().Activity().lost, 0);
  }
  void ExpectNextCallsRead() {
    lock_->Release();
    for (int i = 0; i < 10; ++i) {
      grpc::ClientContext context;
      const grpc::Status status = Audit(&context);
      EXPECT_TRUE(status.ok()) << status.error_message();
    }
  }

  ReportedCalls reported_;
  TestService service_{{.serves_metrics = true, .call_observers = {&reported_}}};
  std::unique_ptr<HeldLock> lock_;
};

TEST_F(VanishedCallersTest, AStatementEndsWithTheDeadlineOfItsCall) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(1)));
  EXPECT_EQ(Audit(&context).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(StatementsEnd());
  ExpectCallerHasGone();
  ExpectNextCallsRead();
}

TEST_F(VanishedCallersTest, AStatementEndsWhenItsCallIsCancelled) {
  grpc::ClientContext context;
  std::future<grpc::Status> audit = std::async(std::launch::async, [&] { return Audit(&context); });
  lock_->AwaitWaiters();
  context.TryCancel();
  EXPECT_EQ(audit.get().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(StatementsEnd());
  ExpectCallerHasGone();
  ExpectNextCallsRead();
}

TEST_F(VanishedCallersTest, AStatementEndsWhenItsReaderOverHttpLeaves) {
  {
    const std::string body = R"({"cluster": "c"})";
    http::RawConnection reader(service_.http_address());
    ASSERT_TRUE(reader.Send(absl::StrCat(
        "POST /v1/AdminService/ListAuditEvents HTTP/1.1\r\nHost: ", service_.http_address(),
        "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n", body)));
    lock_->AwaitWaiters();
  }
  EXPECT_TRUE(StatementsEnd());
  ExpectCallerHasGone();
  ExpectNextCallsRead();
}

TEST_F(VanishedCallersTest, CallersThatLeaveAgainAndAgainKeepNoOtherFromReading) {
  for (int i = 0; i < kOperatingThreads; ++i) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Milliseconds(200)));
    EXPECT_EQ(Audit(&context).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  // It needs one of the same threads, of which its caller never gets all.
  v1::ListAssociationsRequest request;
  request.set_cluster("c");
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kSoon));
  v1::ListAssociationsResponse response;
  const grpc::Status status = AdminStub(service_).ListAssociations(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// The queue is locked.
class VanishedUpdatesTest : public ::testing::Test {
 protected:
  VanishedUpdatesTest() {
    Import(service_, SmallSite());
    UpdateJobs(service_, Upserts({JobOf("1")}));
    lock_ = std::make_unique<HeldLock>(service_.database_url(),
                                       "SELECT * FROM priorityd.job_queue FOR UPDATE");
  }

  std::future<grpc::Status> Begin(const std::string& id, grpc::ClientContext* context) {
    v1::Job job = JobOf(id);
    job.set_dependency("afterok:1");
    return std::async(std::launch::async, [this, job, context] {
      v1::UpdateJobsResponse response;
      return PriorityStub(service_).UpdateJobs(context, Upserts({job}), &response);
    });
  }
  int64_t CountStored(const std::string& id) {
    const auto stored = service_.database().Read([&](storage::Transaction& transaction) {
      return transaction.QueryOne(storage::OnlyColumn<int64_t>,
                                  "SELECT count(*) FROM priorityd.job WHERE job_id = $1", {id});
    });
    EXPECT_TRUE(stored.ok()) << stored.status();
    return stored.value_or(-1);
  }

  TestService service_;
  std::unique_ptr<HeldLock> lock_;
};

TEST_F(VanishedUpdatesTest, AnUpdateThatWaitsForAnotherIsNotMadeOnceItsCallerHasGone) {
  grpc::ClientContext patient, impatient;
  std::future<grpc::Status> first = Begin("2", &patient);
  lock_->AwaitWaiters();
  std::future<grpc::Status> second = Begin("3", &impatient);
  absl::SleepFor(absl::Milliseconds(300));  // So that it waits for the first, on most machines.
  impatient.TryCancel();
  EXPECT_EQ(second.get().error_code(), grpc::StatusCode::CANCELLED);
  lock_->Release();
  first.get();
  service_.server().Drain(absl::Minutes(1));
  EXPECT_EQ(CountStored("3"), 0);
}

}  // namespace
}  // namespace priorityd::rpc
