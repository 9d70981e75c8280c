#include "tests/server/identity/private_munged.h"

#include <gtest/gtest.h>
#include <munge.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::identity {
namespace {

constexpr char kMunged[] = "/usr/sbin/munged";
constexpr absl::Duration kPatience = absl::Minutes(1);

void WriteKey(const std::string& path) {
  std::random_device random;
  std::string key(128, '\0');
  for (char& byte : key) byte = static_cast<char>(random());
  std::ofstream(path, std::ios::binary) << key;
  chmod(path.c_str(), 0600);
}

pid_t Start(const std::string& folder, const std::string& socket) {
  // --force: the folder is a test's, which munged takes for unsafe.
  std::vector<std::string> words = {kMunged,
                                    "--foreground",
                                    "--force",
                                    absl::StrCat("--socket=", socket),
                                    absl::StrCat("--key-file=", folder, "/key"),
                                    absl::StrCat("--pid-file=", folder, "/pid"),
                                    absl::StrCat("--seed-file=", folder, "/seed"),
                                    absl::StrCat("--log-file=", folder, "/log")};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  return posix_spawn(&pid, kMunged, nullptr, nullptr, arguments.data(), environ) == 0 ? pid : 0;
}

}  // namespace

// In /tmp: a socket's path is short.
PrivateMunged::PrivateMunged() : folder_("/tmp"), socket_(folder_.path() + "/munge") {
  WriteKey(folder_.path() + "/key");
  pid_ = Start(folder_.path(), socket_);
  const absl::Time deadline = absl::Now() + kPatience;
  while (Credential().empty()) {
    if (pid_ == 0 || absl::Now() > deadline) {
      ADD_FAILURE() << "munged does not come up (Debian package munge)";
      std::abort();
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
}

PrivateMunged::~PrivateMunged() { Stop(); }

std::string PrivateMunged::Credential(const std::string& payload, int ttl) const {
  if (access(socket_.c_str(), F_OK) != 0) return "";
  munge_ctx_t context = munge_ctx_create();
  munge_ctx_set(context, MUNGE_OPT_SOCKET, socket_.c_str());
  munge_ctx_set(context, MUNGE_OPT_TTL, ttl);
  char* text = nullptr;
  std::string credential;
  if (munge_encode(&text, context, payload.data(), static_cast<int>(payload.size())) ==
      EMUNGE_SUCCESS) {
    credential = text;
  }
  std::free(text);
  munge_ctx_destroy(context);
  return credential;
}

void PrivateMunged::Stop() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace priorityd::identity
