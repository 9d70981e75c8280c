// prioctl record with input that goes on, and with a service that comes late.
#include "client/prioctl/usage/record.h"

#include <signal.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/await.h"
#include "tests/client/prioctl/prioctl_fixture.h"
#include "tests/client/running_prioctl.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

grpc::Status Accept(const v1::RecordUsageRequest& request, v1::RecordUsageResponse* response) {
  for (int i = 0; i < request.records_size(); ++i) {
    response->add_results()->set_status(v1::USAGE_RECORD_STATUS_ACCEPTED);
  }
  response->set_accepted(request.records_size());
  return grpc::Status::OK;
}

void AcceptEveryRecord(FakePriorityd& fake) { fake.record_usage.Answer(Accept); }

std::string Record(const std::string& id) { return absl::StrCat("{\"recordId\": \"", id, "\"}\n"); }

TEST_F(PrioctlTest, ARecordIsSentWhileItsPipeStaysOpen) {
  AcceptEveryRecord(fake_);
  RunningPrioctl prioctl({"--server", fake_.address(), "record", "-"});
  prioctl.Write(Record("1"));
  EXPECT_TRUE(Await([&] { return fake_.record_usage.requests().size() == 1; }));
  prioctl.Write(Record("2"));
  EXPECT_TRUE(Await([&] { return fake_.record_usage.requests().size() == 2; }));
  prioctl.CloseInput();
  EXPECT_EQ(prioctl.Wait().out, "2 accepted, 0 duplicate, 0 rejected\n");
}

TEST_F(PrioctlTest, ControlCSendsWhatWasReadAndPrintsTheTotals) {
  AcceptEveryRecord(fake_);
  RunningPrioctl prioctl({"--server", fake_.address(), "record", "-", "--batch-size", "2"});
  prioctl.Write(Record("1") + Record("2"));
  ASSERT_TRUE(Await([&] { return !fake_.record_usage.requests().empty(); }));
  prioctl.Write(Record("3") + "{\"recordId\": \"not a line as y");
  // Record 3 may have been read or not; what was is sent and counted.
  prioctl.Signal(SIGINT);
  const Finished run = prioctl.Wait();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  int received = 0;
  for (const auto& request : fake_.record_usage.requests()) received += request.records_size();
  EXPECT_EQ(run.out, absl::StrCat(received, " accepted, 0 duplicate, 0 rejected\n"));
}

TEST_F(PrioctlTest, RecordTriesUntilTheServiceComes) {
  const std::string address = AddressOfNobody();
  RunningPrioctl prioctl({"--server", address, "--timeout", "60", "record", "-"});
  prioctl.Write(Record("1"));
  prioctl.CloseInput();
  ASSERT_TRUE(Await([&] { return !prioctl.Errors().empty(); }));
  FakePriorityd late(address);
  AcceptEveryRecord(late);
  const Finished run = prioctl.Wait();
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "1 accepted, 0 duplicate, 0 rejected\n");
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: no answer from priorityd at " + address),
                             HasSubstr("; trying again\n"), IsOneLine()));
}

TEST_F(PrioctlTest, WhatAServiceWritesBeforeRecordTriesAgainCommandsNoTerminal) {
  std::atomic<bool> is_first = true;
  fake_.record_usage.Answer([&](const v1::RecordUsageRequest& request, auto* response) {
    if (is_first.exchange(false)) return grpc::Status(grpc::ABORTED, "busy \x1b[2J");
    return Accept(request, response);
  });
  const Finished run = Run({"record", "-"}, Record("1"));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "prioctl: busy \\u001b[2J; trying again\n");
}

TEST_F(PrioctlTest, RecordGivesUpAtTheTimeout) {
  const std::string address = AddressOfNobody();
  const Finished run =
      RunPrioctl({"--server", address, "--timeout", "1", "record", "-"}, Record("1"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("; trying again\nprioctl: no answer from priorityd at "));
}

TEST_F(PrioctlTest, WhatIsClosedIsSaidToBeAndNoConnectionTakesItsPlace) {
  AcceptEveryRecord(fake_);
  const std::string record =
      absl::StrCat("client/prioctl --server ", fake_.address(), " record - ");
  const Finished unread = RunProgram("/bin/sh", {"-c", record + "<&-"});
  EXPECT_NE(unread.exit_code, 0);
  EXPECT_THAT(unread.err, HasSubstr("standard input"));
  const Finished unwritten = RunProgram("/bin/sh", {"-c", record + ">&-"}, Record("1"));
  EXPECT_NE(unwritten.exit_code, 0);
  EXPECT_THAT(unwritten.err, HasSubstr("cannot be written"));
}

TEST_F(PrioctlTest, OfSeveralServersTheOneThatAnswersIsAsked) {
  AcceptEveryRecord(fake_);
  const std::string gone = AddressOfNobody();
  for (const std::string& servers :
       {absl::StrCat(gone, ",", fake_.address()), absl::StrCat(fake_.address(), ",", gone)}) {
    const Finished run = RunPrioctl({"--server", servers, "record", "-"}, Record("1"));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "1 accepted, 0 duplicate, 0 rejected\n");
    EXPECT_EQ(run.err, "");
  }
}

}  // namespace
}  // namespace priorityd
