#include "tests/storage/lost_answers.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr char kSocket[] = "/.s.PGSQL.5432";

// Of JoinConnectionString's words.
std::string HostOf(const std::string& url) {
  const std::string word = "host='";
  const size_t begin = url.find(word) + word.size();
  return url.substr(begin, url.find('\'', begin) - begin);
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  return address;
}

int Listen(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = AddressOf(path);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0) << path;
  EXPECT_EQ(listen(fd, SOMAXCONN), 0);
  return fd;
}

int Connect(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = AddressOf(path);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0) << path;
  return fd;
}

// What `fd` has to say, if anything; nullopt = it has gone.
std::optional<std::string> Heard(int fd) {
  char buffer[64 << 10];
  const ssize_t size = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return "";
  if (size <= 0) return std::nullopt;
  return std::string(buffer, static_cast<size_t>(size));
}

bool Say(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

}  // namespace

LostAnswers::LostAnswers(const std::string& database_url)
    : server_path_(HostOf(database_url) + kSocket),
      url_(absl::StrCat(database_url, " host='", folder_.path(), "'")),
      listener_(Listen(folder_.path() + kSocket)) {
  EXPECT_EQ(pipe(stop_), 0);
  thread_ = std::thread([this] { Serve(); });
}

LostAnswers::~LostAnswers() {
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
  close(listener_);
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
}

void LostAnswers::LoseAnswerTo(absl::string_view text) {
  absl::MutexLock lock(&mutex_);
  text_ = std::string(text);
}

int LostAnswers::lost() const {
  absl::MutexLock lock(&mutex_);
  return lost_;
}

void LostAnswers::Serve() {
  for (;;) {
    std::vector<pollfd> waits = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      waits.push_back({pair.client, POLLIN, 0});
      waits.push_back({pair.server, POLLIN, 0});
    }
    poll(waits.data(), waits.size(), -1);
    if (waits[0].revents != 0) return;
    std::erase_if(pairs_, [this](Pair& pair) {
      if (PassOn(pair)) return false;
      close(pair.client);
      close(pair.server);
      return true;
    });
    if (waits[1].revents != 0) Accept();
  }
}

void LostAnswers::Accept() {
  const int client = accept(listener_, nullptr, nullptr);
  if (client >= 0) pairs_.push_back({client, Connect(server_path_)});
}

bool LostAnswers::PassOn(Pair& pair) {
  const auto asked = Heard(pair.client);
  if (!asked.has_value()) return false;
  if (IsToLose(*asked)) pair.is_to_lose = true;
  if (!Say(pair.server, *asked)) return false;
  const auto answered = Heard(pair.server);
  if (!answered.has_value()) return false;
  if (!pair.is_to_lose || answered->empty()) return Say(pair.client, *answered);
  absl::MutexLock lock(&mutex_);
  ++lost_;
  return false;
}

bool LostAnswers::IsToLose(absl::string_view said) {
  absl::MutexLock lock(&mutex_);
  if (text_.empty() || !absl::StrContains(said, text_)) return false;
  text_.clear();
  return true;
}

}  // namespace priorityd::storage
