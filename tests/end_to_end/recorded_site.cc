#include "tests/end_to_end/recorded_site.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/end_to_end/import_site.h"

namespace priorityd {

namespace v1 = ::priority::v1;

RecordedSite::RecordedSite(const RealPriorityd& priorityd)
    : admin_(v1::AdminService::NewStub(priorityd.Connect())),
      priority_(v1::PriorityService::NewStub(priorityd.Connect())) {}

void RecordedSite::Import(const std::string& policy) {
  ImportSite(*admin_, absl::StrCat("ClusterName=c\n", policy),
             "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n");
}

void RecordedSite::Record(const std::string& source, int count) {
  v1::RecordUsageRequest usage;
  for (int i = 0; i < count; ++i) {
    v1::UsageRecord* record = usage.add_records();
    record->set_source(source);
    record->set_record_id(absl::StrCat(i));
    record->set_account("a");
    record->mutable_start_time()->set_seconds(kRecordedFrom + i);
    record->mutable_end_time()->set_seconds(kRecordedFrom + i + 1);
    record->set_billing(1);
  }
  v1::RecordUsageResponse recorded;
  grpc::ClientContext context;
  ASSERT_TRUE(priority_->RecordUsage(&context, usage, &recorded).ok());
  ASSERT_EQ(recorded.accepted(), count);
}

int64_t RecordedSite::DifferentRows() {
  v1::RebuildUsageRequest request;
  request.set_validate_only(true);
  grpc::ClientContext context;
  auto reader = admin_->RebuildUsage(&context, request);
  v1::RebuildUsageResponse response;
  while (reader->Read(&response)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
  return response.done() ? response.different_rows() : -1;
}

}  // namespace priorityd
