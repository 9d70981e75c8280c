// The sources of usage records, over gRPC on a real PostgreSQL.
#include "server/api/usage/list_usage_sources.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ListUsageSourcesTest : public ::testing::Test {
 protected:
  ListUsageSourcesTest() {
    Import(service_, SmallSite());
    service_.SetNow(TestEpoch() + absl::Hours(20));
  }

  void Send(const std::string& source, const std::string& id, int hour,
            const std::string& replaces = "") {
    v1::RecordUsageRequest request;
    v1::UsageRecord* record = request.add_records();
    *record = Usage(id, TestEpoch() + absl::Hours(hour), absl::Hours(1), 2);
    record->set_source(source);
    record->set_job_id("job" + id);
    record->set_replaces_record_id(replaces);
    EXPECT_EQ(RecordUsage(service_, request).results(0).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  }
  v1::ListUsageSourcesResponse List(const v1::ListUsageSourcesRequest& request = {}) {
    v1::ListUsageSourcesResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  // SOURCE@HOUR:JOB of each.
  static std::string Text(const v1::ListUsageSourcesResponse& list) {
    std::string text;
    for (const v1::UsageSource& source : list.sources()) {
      absl::StrAppend(&text, source.source(), "@",
                      (source.last_end().seconds() - absl::ToUnixSeconds(TestEpoch())) / 3600, ":",
                      source.last_job_id(), " ");
    }
    return text;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(ListUsageSourcesTest, EachSourceHasTheEndOfItsLastRecord) {
  EXPECT_EQ(Text(List()), "");
  Send("sacct", "1", 3);
  Send("sacct", "2", 7);
  Send("sacct", "3", 5);
  Send("pbs", "4", 1);
  const v1::ListUsageSourcesResponse list = List();
  EXPECT_EQ(Text(list), "pbs@2:job4 sacct@8:job2 ");
  EXPECT_EQ(list.cluster(), "c");
  EXPECT_FALSE(list.has_ledger_horizon());
  EXPECT_TRUE(list.sources(0).has_last_recorded_at());
}

// They need not be sent again.
TEST_F(ListUsageSourcesTest, RecordsThatNoLongerCountAreStillRecorded) {
  Send("sacct", "1", 3);
  Send("sacct", "2", 7);
  Send("sacct", "3", 4, /*replaces=*/"2");
  EXPECT_EQ(Text(List()), "sacct@8:job2 ");
  v1::VoidUsageRequest request;
  request.mutable_filter()->add_sources("sacct");
  v1::VoidUsageResponse response;
  ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  EXPECT_EQ(List().sources(0).last_end().seconds(),
            absl::ToUnixSeconds(TestEpoch() + absl::Hours(8)));
}

TEST_F(ListUsageSourcesTest, PagesFollowEachOther) {
  for (const char* source : {"e", "a", "c", "b", "d"}) Send(source, source, 1);
  v1::ListUsageSourcesRequest request;
  request.set_page_size(2);
  std::string names;
  for (int page = 0; page < 3; ++page) {
    const v1::ListUsageSourcesResponse list = List(request);
    ASSERT_TRUE(status_.ok()) << status_.error_message();
    for (const v1::UsageSource& source : list.sources()) names += source.source();
    request.set_page_token(list.next_page_token());
    names += list.next_page_token().empty() ? "." : ",";
  }
  EXPECT_EQ(names, "ab,cd,e.");
  request.set_page_token("made up");
  List(request);
  EXPECT_EQ(DetailsOf(status_).reason, "INVALID_PAGE_TOKEN");
  request.set_page_size(-1);
  List(request);
  EXPECT_EQ(DetailsOf(status_).Fields(), "page_size");
}

TEST_F(ListUsageSourcesTest, AnUnknownClusterIsNotFound) {
  v1::ListUsageSourcesRequest request;
  request.set_cluster("nowhere");
  List(request);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace priorityd::rpc
