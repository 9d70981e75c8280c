#include "tests/soak/hostile_services.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPauseOfServices = absl::Milliseconds(500);
constexpr int64_t kEndOfRecords = 1'700'000'000;
constexpr double kImplausible = 1e15;
constexpr size_t kHugeText = 1 << 20;
constexpr int kHugeTexts = 3;
constexpr size_t kMostStreams = 100;
constexpr int kStreamsAtOnce = 5;
constexpr int64_t kYears = 20 * 366 * 86'400LL;
constexpr char kBeyondCapacity[] = "REJECTION_REASON_BEYOND_CAPACITY";
constexpr char kSourceNotAllowed[] = "SOURCE_NOT_ALLOWED";

}  // namespace

HostileCollector::HostileCollector(const LoadOptions& options)
    : HostileLoad(kHostileCollector, options, kPauseOfServices),
      unbound_(ConnectHostile(kUnboundCollector, *options.replicas)) {}

void HostileCollector::Step() {
  static constexpr void (HostileCollector::*kWays[])() = {
      &HostileCollector::SendImplausible, &HostileCollector::SendForOthers,
      &HostileCollector::ReplaceOthers, &HostileCollector::SendAgain};
  (this->*kWays[Below(std::size(kWays))])();
}

v1::UsageRecord HostileCollector::RecordOf(const std::string& source,
                                           const std::string& record_id) {
  v1::UsageRecord record;
  record.set_source(source);
  record.set_record_id(record_id);
  record.set_user(UserName(static_cast<int>(Below(kUsers))));
  record.mutable_end_time()->set_seconds(kEndOfRecords);
  record.mutable_start_time()->set_seconds(kEndOfRecords - 100);
  (*record.mutable_tres())["cpu"] = 1;
  return record;
}

void HostileCollector::ExpectRejected(const char* what, const Answer& response,
                                      const std::string& reason) {
  if (!Served(what, response.status())) return;
  EXPECT_EQ(response->accepted(), 0) << caller() << ", " << what;
  EXPECT_EQ(response->duplicates(), 0) << caller() << ", " << what;
  for (const v1::UsageRecordResult& result : response->results()) {
    if (result.status() == v1::USAGE_RECORD_STATUS_REJECTED) CountRefused();
    if (reason.empty()) continue;
    EXPECT_EQ(v1::RejectionReason_Name(result.reason()), reason)
        << caller() << ", " << what << ": " << result.ShortDebugString();
  }
}

// First of the victim, as a service that would take it there would everywhere.
void HostileCollector::SendImplausible() {
  v1::RecordUsageRequest request;
  request.set_cluster(kHostileCluster);
  v1::UsageRecord* record = request.add_records();
  *record = RecordOf(kHostileSource, absl::StrCat("implausible-", records_++));
  record->set_user(kVictim);
  (*record->mutable_tres())["cpu"] = kImplausible;
  const Answer answer = AnyClient().RecordUsage(request);
  ExpectRejected("implausible amounts", answer, kBeyondCapacity);
  if (!answer.ok() || answer->rejected() != 1) return;
  ++beyond_capacity_;
  request.set_cluster(AnyHonestCluster());
  record->set_user(UserName(static_cast<int>(Below(kUsers))));
  ExpectRejected("implausible amounts", AnyClient().RecordUsage(request), kBeyondCapacity);
}

void HostileCollector::SendForOthers() {
  v1::RecordUsageRequest request;
  request.set_cluster(AnyHonestCluster());
  *request.add_records() =
      RecordOf(absl::StrCat(kSender, Below(2)), absl::StrCat("forged-", records_++));
  ExpectDenied("another's source", AnyClient().RecordUsage(request).status(), kSourceNotAllowed);
}

// The records of the first batches, of which one is there at least in some cluster. What is
// replaced by a collector that may use the source is of another principal; by one that may not, the
// record is not there.
void HostileCollector::ReplaceOthers() {
  v1::RecordUsageRequest own, forged;
  const std::string cluster = AnyHonestCluster();
  for (int batch = 0; batch < 20; ++batch) {
    v1::UsageRecord record = RecordOf(kHostileSource, absl::StrCat("instead-", records_++));
    record.set_replaces_record_id(absl::StrCat(batch, "-0"));
    *own.add_records() = record;
    record.set_source(absl::StrCat(kSender, 0));
    *forged.add_records() = record;
  }
  own.set_cluster(cluster);
  forged.set_cluster(cluster);
  ExpectRejected("replacements under the own source", AnyClient().RecordUsage(own));
  ExpectRejected("replacements of others' records", unbound_[AnyReplica()]->RecordUsage(forged));
}

void HostileCollector::SendAgain() {
  v1::RecordUsageRequest request;
  request.set_cluster(kHostileCluster);
  for (int i = 0; i < 100; ++i) {
    v1::UsageRecord* record = request.add_records();
    *record = RecordOf(kHostileSource, absl::StrCat("again-", i));
    record->set_user(kVictim);
  }
  const Answer answer = AnyClient().RecordUsage(request);
  if (!Served("resend", answer.status())) return;
  EXPECT_EQ(answer->rejected(), 0) << answer->ShortDebugString().substr(0, 500);
  // With other amounts.
  for (v1::UsageRecord& record : *request.mutable_records()) (*record.mutable_tres())["cpu"] = 2;
  ExpectRejected("other amounts under the same names", AnyClient().RecordUsage(request),
                 "REJECTION_REASON_CONFLICT");
}

void HostileCollector::Finish() {
  EXPECT_GT(beyond_capacity_, 0) << caller() << ": no implausible amount was rejected";
  HostileLoad::Finish();
}

HostileFrontend::HostileFrontend(const LoadOptions& options)
    : HostileLoad(kHostileFrontend, options, kPauseOfServices) {}

void HostileFrontend::Step() {
  static constexpr void (HostileFrontend::*kWays[])() = {
      &HostileFrontend::SyncOthersQueue, &HostileFrontend::SyncUnderOwnSource,
      &HostileFrontend::StirOthersJobs, &HostileFrontend::NameUsersSource,
      &HostileFrontend::SendHugeTexts};
  (this->*kWays[Below(std::size(kWays))])();
}

void HostileFrontend::SyncOthersQueue() {
  v1::UpdateJobsRequest request;
  request.set_cluster(AnyHonestCluster());
  request.set_source(kFrontendSource);
  request.set_full_sync(true);
  ExpectDenied("full_sync of others' jobs", AnyClient().UpdateJobs(request).status(),
               kSourceNotAllowed);
}

// It has no job there.
void HostileFrontend::SyncUnderOwnSource() {
  v1::UpdateJobsRequest request;
  request.set_cluster(AnyHonestCluster());
  request.set_source(kHostileSource);
  request.set_full_sync(true);
  ExpectNothingDone("full_sync of its own jobs", AnyClient().UpdateJobs(request));
}

void HostileFrontend::StirOthersJobs() {
  v1::UpdateJobsRequest removals, upserts;
  const std::string cluster = AnyHonestCluster();
  for (auto* request : {&removals, &upserts}) {
    request->set_cluster(cluster);
    request->set_source(kHostileSource);
  }
  for (const v1::Job& job : HonestJobs(cluster)) {
    removals.add_removals(job.job_id());
    // An upsert of fields alone makes no job of one that has gone meanwhile.
    v1::Job* nice = upserts.add_upserts();
    nice->set_job_id(job.job_id());
    nice->set_nice(job.nice() + 1);
  }
  if (removals.removals().empty()) return;
  upserts.mutable_update_mask()->add_paths("nice");
  ExpectNothingDone("removal of others' jobs", AnyClient().UpdateJobs(removals));
  ExpectNothingDone("nice of others' jobs", AnyClient().UpdateJobs(upserts));
}

void HostileFrontend::NameUsersSource() {
  v1::UpdateJobsRequest request;
  request.set_cluster(kHostileCluster);
  request.set_source(absl::StrCat("user:", kHostileUser));
  request.set_full_sync(true);
  ExpectDenied("a user's source", AnyClient().UpdateJobs(request).status(), kSourceNotAllowed);
}

void HostileFrontend::SendHugeTexts() {
  v1::UpdateJobsRequest request;
  request.set_cluster(kHostileCluster);
  request.set_source(kHostileSource);
  for (int i = 0; i < kHugeTexts; ++i) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(absl::StrCat("huge-", i));
    job->set_user(kVictim);
    job->set_account(kHostileAccount);
    job->set_name(std::string(kHugeText, 'x'));
  }
  const auto response = AnyClient().UpdateJobs(request);
  if (absl::IsInvalidArgument(response.status())) {
    CountRefused();
    return;
  }
  if (!Served("huge texts", response.status())) return;
  for (const v1::JobUpdateResult& result : response->upserts()) {
    EXPECT_EQ(result.outcome(), v1::UPDATE_OUTCOME_INVALID) << result.ShortDebugString();
    CountRefused();
  }
}

HostileDashboard::HostileDashboard(const LoadOptions& options)
    : HostileLoad(kHostileDashboard, options, kPauseOfServices) {}

void HostileDashboard::Step() {
  static constexpr void (HostileDashboard::*kWays[])() = {
      &HostileDashboard::ReportYears, &HostileDashboard::AskForPages,
      &HostileDashboard::OpenEventStreams, &HostileDashboard::Write};
  (this->*kWays[Below(std::size(kWays))])();
}

void HostileDashboard::ReportYears() {
  v1::ReportUsageRequest request;
  request.set_cluster(AnyHonestCluster());
  request.mutable_end_time()->set_seconds(kEndOfRecords + kYears / 20);
  request.mutable_start_time()->set_seconds(kEndOfRecords - kYears);
  request.set_bucket(v1::REPORT_BUCKET_DAY);
  for (const auto group : {v1::REPORT_GROUPING_ACCOUNT, v1::REPORT_GROUPING_USER}) {
    request.add_group_by(group);
  }
  Served("ReportUsage", AnyClient().ReportUsage(request).status());
}

void HostileDashboard::AskForPages() {
  v1::ListJobsRequest jobs;
  jobs.set_cluster(Below(2) == 0 ? kHostileCluster : AnyHonestCluster());
  jobs.set_page_size(100);
  jobs.set_with_ranking(true);
  Served("ListJobs", AnyClient().ListAllJobs(jobs).status());
}

void HostileDashboard::OpenEventStreams() {
  for (int i = 0; i < kStreamsAtOnce; ++i) {
    if (streams_.size() >= kMostStreams) streams_.pop_front();
    const Replica& replica = *replicas()[AnyReplica()];
    HostileSocket& stream = streams_.emplace_back(replica.http_port());
    const std::string body =
        absl::StrCat(R"({"cluster":")", kHostileCluster, R"(","limit":10000})");
    const std::string proof = absl::StrCat("Authorization: ", replica.ProofOf(caller()), "\r\n");
    stream.Send(PostOf("/v1/PriorityService/WatchRanking", proof, body));
    // Nobody reads more of it.
    NoteStream(HttpStatusOf(stream.ReadSome()));
  }
}

void HostileDashboard::NoteStream(int status) {
  if (status == kOk) return CountServed();
  CountLost();
  EXPECT_TRUE(status == kNoAnswer || status == kTooManyRequests || status == kUnavailable)
      << caller() << ", WatchRanking by HTTP: " << status;
}

void HostileDashboard::Write() {
  v1::UpdateJobsRequest jobs;
  jobs.set_cluster(AnyHonestCluster());
  jobs.set_source(kFrontendSource);
  jobs.set_full_sync(true);
  ExpectDenied("UpdateJobs", AnyClient().UpdateJobs(jobs).status(), "ROLE_REQUIRED");
  v1::RecordUsageRequest usage;
  usage.set_cluster(jobs.cluster());
  ExpectDenied("RecordUsage", AnyClient().RecordUsage(usage).status(), "ROLE_REQUIRED");
  v1::RebuildUsageRequest rebuild;
  rebuild.set_cluster(jobs.cluster());
  ExpectDenied("RebuildUsage", AnyClient().RebuildUsage(rebuild, [](const auto&) {}).status(),
               "ROLE_REQUIRED");
}

}  // namespace priorityd::soak
