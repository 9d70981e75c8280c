#include <gtest/gtest.h>

#include <vector>

#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ListShareHistoryTest : public ::testing::Test {
 protected:
  // Recalculates at the hours -1, without usage, 0, 1, 2 and in between; an hour is what is
  // sampled.
  ListShareHistoryTest() {
    Import(service_, SmallSite("Clock=manual\nPriorityDecayHalfLife=1:0:0\n"));
    RecalculateAt(-2);
    v1::ImportRequest usage;
    AddFile(v1::FILE_KIND_USAGE, "usage", "a|amy||128\n", &usage);
    Import(service_, usage);
    for (int half_hours : {0, 1, 2, 3, 4}) RecalculateAt(half_hours);
  }

  void RecalculateAt(int half_hours) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Minutes(30) * half_hours);
    Recalculate(service_, request);
  }

  v1::ListShareHistoryResponse List(const v1::ListShareHistoryRequest& request,
                                    grpc::Status* status = nullptr) {
    return AnswerTo<v1::ListShareHistoryResponse>(service_, request, status);
  }

  TestService service_;
};

TEST_F(ListShareHistoryTest, UsageDecaysFromSampleToSample) {
  v1::ListShareHistoryRequest request;
  request.add_users("amy");
  request.add_accounts("a");
  *request.mutable_start_time() = ToTimestamp(TestEpoch());
  const v1::ListShareHistoryResponse history = List(request);
  std::vector<double> usage;
  for (const v1::ShareSample& sample : history.samples()) {
    if (sample.user() != "amy") continue;
    EXPECT_EQ(sample.sampled_at().seconds(),
              absl::ToUnixSeconds(TestEpoch() + absl::Hours(static_cast<int>(usage.size()))));
    EXPECT_TRUE(sample.has_fair_share());
    usage.push_back(sample.raw_usage());
  }
  ASSERT_EQ(usage.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(usage[i], 64 >> i);
}

TEST_F(ListShareHistoryTest, OnlyAccountsAreListedWhereOnlyTheyAreWanted) {
  v1::ListShareHistoryRequest request;
  request.set_accounts_only(true);
  *request.mutable_start_time() = ToTimestamp(TestEpoch() + absl::Hours(1));
  *request.mutable_end_time() = ToTimestamp(TestEpoch() + absl::Hours(2));
  const v1::ListShareHistoryResponse history = List(request);
  ASSERT_EQ(history.samples_size(), 3);
  for (const v1::ShareSample& sample : history.samples()) {
    EXPECT_EQ(sample.user(), "");
    EXPECT_FALSE(sample.has_fair_share());
  }
  EXPECT_EQ(history.samples(0).account(), "root");
}

TEST_F(ListShareHistoryTest, PagesJoinToTheWholeList) {
  const v1::ListShareHistoryResponse all = List({});
  EXPECT_EQ(all.samples_size(), 4 * 6);
  EXPECT_EQ(all.next_page_token(), "");
  v1::ListShareHistoryRequest request;
  request.set_page_size(4);
  v1::ListShareHistoryResponse joined;
  do {
    const v1::ListShareHistoryResponse page = List(request);
    EXPECT_LE(page.samples_size(), 4);
    joined.mutable_samples()->MergeFrom(page.samples());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(joined.SerializeAsString(), all.SerializeAsString());
}

TEST_F(ListShareHistoryTest, ATokenOfAnotherRequestIsRefused) {
  v1::ListShareHistoryRequest request;
  request.set_page_size(1);
  request.set_page_token(List(request).next_page_token());
  request.set_subtree(true);
  grpc::Status status;
  List(request, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_PAGE_TOKEN");
}

}  // namespace
}  // namespace priorityd::rpc
