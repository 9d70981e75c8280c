// What prioctl watch asks, prints and draws.
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "grpcpp/support/sync_stream.h"
#include "gtest/gtest.h"
#include "tests/await.h"
#include "tests/client/prioctl/prioctl_fixture.h"
#include "tests/client/running_prioctl.h"
#include "tests/sanitizer.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Writer = grpc::ServerWriter<v1::WatchRankingResponse>;

void FillRow(const std::string& job_id, uint32_t rank, uint32_t priority, v1::RankedJob* row) {
  row->set_job_id(job_id);
  row->set_partition("main");
  row->set_qos("normal");
  row->set_rank(rank);
  row->set_priority(priority);
  row->set_best_of_job(true);
}

v1::WatchRankingResponse State() {
  v1::WatchRankingResponse answer;
  FillRow("11", 1, 900, answer.mutable_state()->add_ranked());
  FillRow("12", 2, 800, answer.mutable_state()->add_ranked());
  answer.set_ranked_total(7);
  answer.mutable_as_of()->set_seconds(1795180031);
  answer.mutable_snapshot()->set_cluster("orc");
  return answer;
}

// 11 leaves, 13 enters in front of 12, which has gained 50.
v1::WatchRankingResponse Delta() {
  v1::WatchRankingResponse answer;
  v1::RankingDelta* delta = answer.mutable_delta();
  v1::RankedRow* left = delta->add_left();
  left->set_job_id("11");
  left->set_partition("main");
  left->set_qos("normal");
  FillRow("13", 1, 870, delta->add_entered());
  v1::RankChange* change = delta->add_changed();
  FillRow("12", 2, 850, change->mutable_row());
  change->set_previous_rank(2);
  change->set_previous_priority(800);
  answer.set_ranked_total(7);
  answer.mutable_as_of()->set_seconds(1795180032);
  answer.mutable_snapshot()->set_cluster("orc");
  return answer;
}

// Nothing has changed.
v1::WatchRankingResponse Same() {
  v1::WatchRankingResponse answer = State();
  answer.mutable_delta();
  return answer;
}

class PrioctlWatchTest : public PrioctlTest {
 protected:
  // Answers both and leaves the stream open until the test ends.
  void AnswerBoth() {
    fake_.watch_ranking.Answer([is_over = is_over_](const auto&, Writer* writer) {
      writer->Write(State());
      writer->Write(Delta());
      is_over.wait();
      return grpc::Status::OK;
    });
  }
  void EndStream() {
    if (!std::exchange(ended_, true)) over_.set_value();
  }
  void TearDown() override { EndStream(); }

  std::promise<void> over_;
  // For threads that may come to wait only when the test is done, each with a copy.
  const std::shared_future<void> is_over_ = over_.get_future().share();
  bool ended_ = false;
};

TEST_F(PrioctlWatchTest, AsksForWhatTheOptionsSay) {
  AnswerBoth();
  ASSERT_EQ(
      Run({"watch",     "--count",    "1",         "--limit",        "5",       "--best-only",
           "--explain", "-p",         "main,fast", "--account",      "physics", "--user",
           "ann",       "--interval", "1.5",       "--age-interval", "30",      "--ineligible",
           "--cluster", "orc"})
          .exit_code,
      0);
  EndStream();
  const v1::WatchRankingRequest request = fake_.watch_ranking.requests()[0];
  v1::WatchRankingRequest want;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(
                  R"({"cluster": "orc", "limit": 5, "bestOnly": true, "view": "RANK_VIEW_FULL",
                      "partitions": ["main", "fast"], "accounts": ["physics"], "users": ["ann"],
                      "minInterval": "1.500s", "ageInterval": "30s", "ineligible": true})",
                  &want)
                  .ok());
  EXPECT_EQ(request.SerializeAsString(), want.SerializeAsString());
}

TEST_F(PrioctlWatchTest, AFileGetsTheTopThenALineForEachChange) {
  AnswerBoth();
  const std::string out = Output({"watch", "--count", "2"});
  EXPECT_THAT(out, StartsWith("2 of 7 rows in start order; as of 2026-11-20T13:07:11\nRANK JOBID"));
  EXPECT_THAT(out, EndsWith("2026-11-20T13:07:12 left 11 in main under normal\n"
                            "2026-11-20T13:07:12 entered 13 in main under normal: rank 1, "
                            "priority 870\n"
                            "2026-11-20T13:07:12 changed 12 in main under normal: "
                            "priority 800 -> 850\n"));
  EXPECT_THAT(out, Not(HasSubstr("\x1b")));
}

TEST_F(PrioctlWatchTest, JobsThatCannotStartAreTheSecondTableAndLinesOfTheirOwn) {
  fake_.watch_ranking.Answer([is_over = is_over_](const auto&, Writer* writer) {
    v1::WatchRankingResponse state = State();
    v1::IneligibleJob* held = state.mutable_state()->add_ineligible();
    held->set_job_id("21");
    held->set_user("ann");
    held->set_reason("JobHeldUser");
    held->set_message("its user holds it");
    state.set_ineligible_total(3);
    writer->Write(state);
    v1::WatchRankingResponse delta = Delta();
    delta.mutable_delta()->add_no_longer_ineligible("21");
    v1::IneligibleJob* waits = delta.mutable_delta()->add_ineligible();
    waits->set_job_id("22");
    waits->set_partition("main");
    waits->set_reason("BeginTime");
    writer->Write(delta);
    is_over.wait();
    return grpc::Status::OK;
  });
  const std::string out = Output({"watch", "--count", "2", "--ineligible"});
  EXPECT_THAT(out, StartsWith("2 of 7 rows in start order, 1 of 3 not eligible; as of "));
  EXPECT_THAT(out, HasSubstr("\nnot eligible:\nJOBID USER "));
  EXPECT_THAT(out, HasSubstr("its user holds it\n"));
  EXPECT_THAT(out, EndsWith("2026-11-20T13:07:12 not eligible 22 in main: BeginTime\n"
                            "2026-11-20T13:07:12 no longer ineligible 21\n"));
}

TEST_F(PrioctlWatchTest, JsonIsOneLineForEachAnswer) {
  AnswerBoth();
  const std::string out = Output({"watch", "--json", "--count", "2"});
  const size_t end = out.find('\n');
  v1::WatchRankingResponse first, second;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out.substr(0, end), &first).ok());
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(out.substr(end + 1), &second).ok());
  EXPECT_EQ(first.SerializeAsString(), State().SerializeAsString());
  EXPECT_EQ(second.SerializeAsString(), Delta().SerializeAsString());
}

TEST_F(PrioctlWatchTest, ARefusalIsOneLine) {
  fake_.watch_ranking.Answer([](const auto&, Writer*) {
    return grpc::Status(grpc::INVALID_ARGUMENT, "limit: got too many");
  });
  EXPECT_THAT(Failure(1, {"watch"}), AllOf(HasSubstr("limit: got too many"), IsOneLine()));
  EXPECT_THAT(Failure(2, {"watch", "--interval", "-1"}),
              AllOf(HasSubstr("--interval"), IsOneLine()));
}

// prioctl on a terminal of ten lines.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments) {
    const std::string program = std::filesystem::absolute("client/prioctl");
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& text : arguments) argv.push_back(const_cast<char*>(text.c_str()));
    argv.push_back(nullptr);
    winsize size = {.ws_row = 10, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (pid_ == 0) {
      execv(program.c_str(), argv.data());
      _exit(127);
    }
  }
  ~Terminal() { close(terminal_); }

  // Reads until there is such a text, or nothing more comes.
  bool Await(const std::string& text) {
    char bytes[4096];
    while (shown_.find(text) == std::string::npos) {
      const ssize_t count = read(terminal_, bytes, sizeof bytes);
      if (count <= 0) return false;
      shown_.append(bytes, count);
    }
    return true;
  }
  // The same, for output from now on.
  bool AwaitAgain(const std::string& text) {
    shown_.clear();
    return Await(text);
  }
  void Resize(unsigned short lines) {
    const winsize size = {.ws_row = lines, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(terminal_, TIOCSWINSZ, &size);
  }
  // As by Ctrl-Z; whether it stopped.
  bool Stop() {
    kill(pid_, SIGTSTP);
    int status = 0;
    return waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
  }
  void Continue() { kill(pid_, SIGCONT); }
  void Type(char key) { ASSERT_EQ(write(terminal_, &key, 1), 1); }
  int ExitCode() {
    Await("\x01 that never comes");
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  const std::string& shown() const { return shown_; }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
  std::string shown_;
};

TEST_F(PrioctlWatchTest, ATerminalIsDrawnOnAndLeftAsItWasByControlC) {
  AnswerBoth();
  Terminal terminal({"--server", fake_.address(), "watch"});
  ASSERT_TRUE(terminal.Await("new")) << terminal.shown();
  terminal.Type('\x03');
  EXPECT_EQ(terminal.ExitCode(), 0);
  EXPECT_THAT(terminal.shown(), HasSubstr("\x1b[?1049h"));  // The other screen.
  EXPECT_THAT(terminal.shown(), HasSubstr("CHANGE"));
  EXPECT_THAT(terminal.shown(), HasSubstr("+50"));
  EXPECT_THAT(terminal.shown(), EndsWith("\x1b[?1049l"));
  EndStream();
  EXPECT_EQ(fake_.watch_ranking.requests()[0].limit(), 5u);  // What ten lines hold.
}

// `q`, and frames that fit the terminal as it is.
TEST_F(PrioctlWatchTest, ATerminalIsDrawnAgainWhenItShrinksAndLeftByQ) {
  AnswerBoth();
  Terminal terminal({"--server", fake_.address(), "watch"});
  ASSERT_TRUE(terminal.Await("new")) << terminal.shown();
  terminal.Resize(7);
  ASSERT_TRUE(terminal.AwaitAgain("2 of 7 rows")) << terminal.shown();
  terminal.Type('q');
  EXPECT_EQ(terminal.ExitCode(), 0);
  EXPECT_THAT(terminal.shown(), EndsWith("\x1b[?1049l"));
}

TEST_F(PrioctlWatchTest, ATerminalThatGrowsGetsMoreRows) {
  std::atomic<uint32_t> limit = 0;
  fake_.watch_ranking.Answer([&](const v1::WatchRankingRequest& request, Writer* writer) {
    limit = request.limit();
    writer->Write(State());
    // The first stream lasts as long as its watcher.
    while (writer->Write(Same())) absl::SleepFor(absl::Milliseconds(5));
    return grpc::Status::OK;
  });
  Terminal terminal({"--server", fake_.address(), "watch"});
  ASSERT_TRUE(terminal.Await("2 of 7 rows")) << terminal.shown();
  terminal.Resize(20);
  while (limit == 5) ASSERT_TRUE(terminal.AwaitAgain("2 of 7 rows")) << terminal.shown();
  ASSERT_TRUE(terminal.AwaitAgain("2 of 7 rows")) << terminal.shown();
  terminal.Type('q');
  EXPECT_EQ(terminal.ExitCode(), 0);
  EXPECT_EQ(limit, 15u);
}

TEST_F(PrioctlWatchTest, ControlZGivesTheTerminalBackAndFgTakesItAgain) {
  if (kIsThreadSanitized) {
    GTEST_SKIP() << "ThreadSanitizer calls no signal handler while a thread waits in gRPC, "
                    "which is not instrumented";
  }
  AnswerBoth();
  Terminal terminal({"--server", fake_.address(), "watch"});
  ASSERT_TRUE(terminal.Await("new")) << terminal.shown();
  EXPECT_TRUE(terminal.Stop());
  ASSERT_TRUE(terminal.AwaitAgain("\x1b[?1049l"));
  terminal.Continue();
  ASSERT_TRUE(terminal.AwaitAgain("\x1b[?1049h"));
  ASSERT_TRUE(terminal.Await("2 of 7 rows"));
  terminal.Type('q');
  EXPECT_EQ(terminal.ExitCode(), 0);
}

TEST_F(PrioctlWatchTest, AnOldOrderIsCalledThatInTheJournalAndOnAScreen) {
  fake_.watch_ranking.Answer([is_over = is_over_](const auto&, Writer* writer) {
    v1::WatchRankingResponse old = State();
    old.mutable_snapshot()->mutable_stale_for()->set_seconds(75);
    writer->Write(old);
    is_over.wait();
    return grpc::Status::OK;
  });
  const std::string stale = "; STALE: the service has not reached its database for 00:01:15";
  Terminal terminal({"--server", fake_.address(), "watch"});
  EXPECT_TRUE(terminal.Await(stale)) << terminal.shown();
  terminal.Type('q');
  EXPECT_EQ(terminal.ExitCode(), 0);
  EndStream();
  fake_.watch_ranking.Answer([](const auto&, Writer* writer) {
    v1::WatchRankingResponse old = State();
    old.mutable_snapshot()->mutable_stale_for()->set_seconds(75);
    writer->Write(old);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"watch", "--count", "1"}).out, HasSubstr(stale + "\n"));
}

// A watch that its user ends has lost nothing.
TEST_F(PrioctlWatchTest, AnInterruptedWatchEndsSilently) {
  fake_.watch_ranking.Answer([](const auto&, Writer* writer) {
    writer->Write(State());
    // Each stream lasts as long as its watcher.
    while (writer->Write(Same())) absl::SleepFor(absl::Milliseconds(5));
    return grpc::Status::OK;
  });
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningPrioctl prioctl({"--server", fake_.address(), "watch"});
    EXPECT_THAT(prioctl.ReadLine(), StartsWith("2 of 7 rows"));
    prioctl.Signal(signal);
    const Finished run = prioctl.Wait();
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
  }
}

TEST_F(PrioctlWatchTest, AReaderWhoGoesEndsTheWatch) {
  AnswerBoth();
  RunningPrioctl prioctl({"--server", fake_.address(), "watch"});
  EXPECT_THAT(prioctl.ReadLine(), StartsWith("2 of 7 rows"));
  prioctl.CloseOutput();
  prioctl.Wait();  // Which comes although nothing changes.
}

TEST_F(PrioctlWatchTest, ALostServiceIsReportedAndControlCIsNoFailure) {
  auto fake = std::make_unique<FakePriorityd>();
  fake->watch_ranking.Answer([](const auto&, Writer* writer) {
    writer->Write(State());
    return grpc::Status(grpc::UNAVAILABLE, "stopping");
  });
  const std::string address = fake->address();
  RunningPrioctl prioctl({"--server", address, "watch"});
  EXPECT_THAT(prioctl.ReadLine(), StartsWith("2 of 7 rows"));
  fake.reset();
  EXPECT_TRUE(Await([&] { return !prioctl.Errors().empty(); }));
  prioctl.Signal(SIGINT);
  const Finished run = prioctl.Wait();
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: the service at " + address + " is lost since "),
                             HasSubstr("trying again")));
}

}  // namespace
}  // namespace priorityd
