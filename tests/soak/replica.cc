#include "tests/soak/replica.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/retry.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd::soak {
namespace {

constexpr char kClock[] = "tests/libstepped_clock.so";

std::string WorkingFolder() { return std::filesystem::current_path().string(); }

}  // namespace

Replica::Replica(std::string database_url)
    : folder_(storage::NewTestDirectory()),
      database_url_(std::move(database_url)),
      port_(storage::FreePort()),
      address_(absl::StrCat("127.0.0.1:", port_)),
      client_(new client::PriorityClient({.address = address_,
                                          .deadline = absl::Seconds(20),
                                          .max_message_bytes = kMaxMessageMib << 20,
                                          .retry = {.max_attempts = 1}})) {
  SetClock(absl::ZeroDuration());
  Start();
}

void Replica::Start() {
  process_ = std::make_unique<RealPriorityd>(
      std::vector<std::string>{absl::StrCat("LD_PRELOAD=", WorkingFolder(), "/", kClock),
                               absl::StrCat("STEPPED_CLOCK=", folder_, "/clock"),
                               "server/priorityd", absl::StrCat("--listen=", address_),
                               absl::StrCat("--database_url=", database_url_),
                               absl::StrCat("--memory_budget=", kMemoryBudgetMib),
                               absl::StrCat("--max_message_mib=", kMaxMessageMib)},
      "/usr/bin/env");
  process_->AwaitListening();
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

void Replica::Heal() {
  healed_at_ = absl::ToUnixNanos(absl::Now());
  disturbed_ = false;
}

bool MayPass(const absl::Status& status) {
  return client::IsTransient(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace priorityd::soak
