#include "tests/soak/replica.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/retry.h"
#include "tests/storage/test_database.h"

namespace priorityd::soak {
namespace {

constexpr char kClock[] = "tests/libstepped_clock.so";

std::string WorkingFolder() { return std::filesystem::current_path().string(); }

std::string AddressOf(int port) { return absl::StrCat("127.0.0.1:", port); }

bool IsFree(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return is_free;
}

// The first of three free ports. None of those that the kernel gives to connections, one of which
// would have it when a replica that was killed comes back.
int NextPorts() {
  static constexpr int kBegin = 20'000, kEnd = 30'000;
  static int next = kBegin;
  for (; next < kEnd; next += 3) {
    if (IsFree(next) && IsFree(next + 1) && IsFree(next + 2)) return std::exchange(next, next + 3);
  }
  ADD_FAILURE() << "no free port from " << kBegin << " to " << kEnd;
  std::abort();
}

}  // namespace

Replica::Replica(std::string database_url, const Access* access)
    : folder_(storage::NewTestDirectory()),
      database_url_(std::move(database_url)),
      access_(access),
      port_(NextPorts()),
      address_(AddressOf(port_)),
      hostile_address_(AddressOf(hostile_port())),
      client_(ConnectAs(kRoot)) {
  SetClock(absl::ZeroDuration());
  Start();
}

void Replica::Start() {
  process_ = std::make_unique<RealPriorityd>(
      std::vector<std::string>{absl::StrCat("LD_PRELOAD=", WorkingFolder(), "/", kClock),
                               absl::StrCat("STEPPED_CLOCK=", folder_, "/clock"),
                               "server/priorityd", absl::StrCat("--listen=", address_),
                               absl::StrCat("--listen=", hostile_address_),
                               absl::StrCat("--http_listen=", AddressOf(http_port())),
                               absl::StrCat("--auth_file=", access_->auth_file()),
                               absl::StrCat("--database_url=", database_url_),
                               absl::StrCat("--memory_budget=", kMemoryBudgetMib),
                               absl::StrCat("--max_message_mib=", kMaxMessageMib),
                               absl::StrCat("--max_tracked_jobs=", kMaxTrackedJobs)},
      "/usr/bin/env");
  process_->AwaitListening();
}

std::unique_ptr<const client::PriorityClient> Replica::Connect(const std::string& address,
                                                               const std::string& user) const {
  return std::make_unique<const client::PriorityClient>(
      client::ConnectOptions{.address = address,
                             .deadline = absl::Seconds(20),
                             .max_message_bytes = kMaxMessageMib << 20,
                             .retry = {.max_attempts = 1},
                             .authorize = access_->As(user)});
}

std::unique_ptr<const client::PriorityClient> Replica::ConnectAs(const std::string& user) const {
  return Connect(address_, user);
}

std::unique_ptr<const client::PriorityClient> Replica::ConnectHostile(
    const std::string& user) const {
  return Connect(hostile_address_, user);
}

void Replica::Kill() {
  process_->Signal(SIGKILL);
  process_->Wait();
  earlier_log_ += process_->Err();
}

void Replica::SetClock(absl::Duration ahead) {
  const int64_t nanoseconds = absl::ToInt64Nanoseconds(ahead);
  // The same file, which the process has mapped.
  std::fstream file(folder_ + "/clock", std::ios::in | std::ios::out | std::ios::binary);
  if (!file) file.open(folder_ + "/clock", std::ios::out | std::ios::binary);
  file.write(reinterpret_cast<const char*>(&nanoseconds), sizeof(nanoseconds));
}

double Replica::ResidentMib() const {
  std::ifstream file(absl::StrCat("/proc/", pid(), "/statm"));
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

double Replica::PeakResidentMib() const {
  static constexpr char kPeak[] = "VmHWM:";
  std::ifstream file(absl::StrCat("/proc/", pid(), "/status"));
  std::string word;
  double kib = 0;
  while (file >> word && word != kPeak) {
  }
  file >> kib;
  return kib / 1024;
}

void Replica::Heal() {
  healed_at_ = absl::ToUnixNanos(absl::Now());
  disturbed_ = false;
}

bool MayPass(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return false;
  return client::IsTransient(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace priorityd::soak
