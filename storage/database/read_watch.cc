#include "storage/database/read_watch.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace priorityd::storage {
namespace {

// In a patience.
constexpr int kLooks = 10;

}  // namespace

ReadWatch::Read::Read(ReadWatch* watch, int socket, const std::string& server)
    : watch_(watch),
      socket_(fcntl(socket, F_DUPFD_CLOEXEC, 0)),
      server_(server),
      due_(watch->AfterPatience()) {
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  watch_->reads_.insert(this);
  if (!watch_->thread_.joinable()) watch_->thread_ = std::thread([watch] { watch->Run(); });
  if (watch_->sleeps_) watch_->changed_.notify_one();
}

ReadWatch::Read::~Read() {
  End();
  if (socket_ >= 0) close(socket_);
}

bool ReadWatch::Read::End() {
  const std::lock_guard<std::mutex> lock(watch_->mutex_);
  watch_->reads_.erase(this);
  return was_shut_;
}

ReadWatch::ReadWatch(absl::Duration patience, Probe probe)
    : patience_(patience), probe_(std::move(probe)) {}

ReadWatch::~ReadWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

ReadWatch::Time ReadWatch::AfterPatience() const {
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(patience_);
}

void ReadWatch::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stops_) {
    sleeps_ = true;
    changed_.wait(lock, [this] { return stops_ || !reads_.empty(); });
    sleeps_ = false;
    changed_.wait_for(lock, absl::ToChronoNanoseconds(patience_ / kLooks),
                      [this] { return stops_.load(); });
    AskServer(std::chrono::steady_clock::now(), lock);
  }
}

void ReadWatch::AskServer(Time now, std::unique_lock<std::mutex>& lock) {
  const auto due =
      std::find_if(reads_.begin(), reads_.end(), [&](Read* read) { return read->due_ <= now; });
  if (due == reads_.end()) return;
  const std::string server = (*due)->server_;
  lock.unlock();
  const bool answers = probe_(server, patience_, [this] { return !stops_; });
  lock.lock();
  for (Read* read : reads_) {
    if (read->due_ > now || read->server_ != server) continue;
    read->due_ = AfterPatience();
    if (!answers) Shut(*read);
  }
}

void ReadWatch::Shut(Read& read) {
  if (std::exchange(read.was_shut_, true)) return;
  spdlog::warn("storage: PostgreSQL does not answer; a read that waits for it is ended");
  shutdown(read.socket_, SHUT_RDWR);
}

}  // namespace priorityd::storage
