#include "tests/end_to_end/honest_user.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/await.h"

namespace priorityd {

namespace v1 = ::priority::v1;

double ResidentMibOf(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void HonestUser::ExpectServed() {
  Stop();
  EXPECT_EQ(failures_, 0) << failure_;
  EXPECT_GT(calls_, 0);
  EXPECT_LT(longest_, kPatience);
  std::printf("%d calls of an honest user meanwhile, the longest %.0f ms; %.0f MiB at most\n",
              calls_.load(), absl::ToDoubleMilliseconds(longest_), most());
}

void HonestUser::AwaitCalls(int count) {
  const int until = calls_ + count;
  EXPECT_TRUE(Await([&] { return calls_ >= until; })) << "they are not served";
}

void HonestUser::Work() {
  auto old = std::make_unique<client::PriorityClient>(ConnectOptions());
  for (int i = 0; !stops_; ++i, absl::SleepFor(absl::Milliseconds(5))) {
    if (i % 5 == 0) {
      // With other options, else gRPC would take the connection that is there.
      client::ConnectOptions options = ConnectOptions();
      options.max_message_bytes -= i;
      Call(client::PriorityClient(std::move(options)));
    } else {
      Call(*old);
    }
    most_mib_ = std::max(most(), options_.resident_mib());
  }
}

client::ConnectOptions HonestUser::ConnectOptions() const {
  client::ConnectOptions options = options_.connect;
  options.deadline = kPatience;
  options.retry.max_attempts = 1;
  return options;
}

void HonestUser::Call(const client::PriorityClient& client) {
  v1::RankJobsRequest request;
  v1::Job* job = request.mutable_jobs()->add_jobs();
  job->set_job_id("1");
  job->set_user("amy");
  const absl::Time start = absl::Now();
  const absl::Status status = client.RankJobs(std::move(request)).status();
  longest_ = std::max(longest_, absl::Now() - start);
  if (!status.ok() && failures_++ == 0) failure_ = status.ToString();
  ++calls_;
}

void HonestUser::Stop() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace priorityd
