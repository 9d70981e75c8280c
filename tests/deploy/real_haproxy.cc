#include "tests/deploy/real_haproxy.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/end_to_end/honest_user.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

constexpr char kProgram[] = "/usr/sbin/haproxy";
constexpr char kConfiguration[] = "deploy/haproxy/haproxy.cfg";

// HAProxy gives up the rights of root for these; a test has none to give up.
std::vector<std::string> WhoWeAre() {
  const passwd* user = getpwuid(geteuid());
  const group* own = getgrgid(getegid());
  return {absl::StrCat("USER=", user == nullptr ? "root" : user->pw_name),
          absl::StrCat("GROUP=", own == nullptr ? "root" : own->gr_name)};
}

// Of env(1).
std::vector<std::string> Variables(std::vector<std::string> settings) {
  for (std::string& setting : settings) setting = "PRIORITYD_PROXY_" + setting;
  return settings;
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

RealHaproxy::RealHaproxy(const std::string& socket, const std::string& secret,
                         const std::vector<std::string>& settings)
    : folder_(storage::NewTestDirectory()), port_(FreePort()) {
  std::vector<std::string> all = WhoWeAre();
  all.insert(all.end(), {"SECRET=" + secret, "SOCKET=" + socket, "LISTEN=" + address()});
  all.insert(all.end(), settings.begin(), settings.end());
  std::vector<std::string> command = {"/bin/sh", "-c", "echo $$ >\"$0\"; exec \"$@\"",
                                      folder_ + "/pid", "/usr/bin/env"};
  for (const std::string& variable : Variables(all)) command.push_back(variable);
  // A program in the background has another working folder.
  command.insert(command.end(), {kProgram, "-db", "-f", std::filesystem::absolute(kConfiguration)});
  process_ = std::make_unique<storage::BackgroundProgram>(command, folder_ + "/log");
  storage::AwaitListening(port_);
}

std::string RealHaproxy::address() const { return absl::StrCat("127.0.0.1:", port_); }

double RealHaproxy::ResidentMib() const {
  return ResidentMibOf(static_cast<pid_t>(std::stoi(Content(folder_ + "/pid"))));
}

std::string RealHaproxy::Log() const { return Content(folder_ + "/log"); }

bool CheckHaproxy(const std::vector<std::string>& settings, std::string* output) {
  const std::string command = absl::StrCat("env -i ", absl::StrJoin(Variables(settings), " "), " ",
                                           kProgram, " -c -f ", kConfiguration, " 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output->append(buffer, got);
  return pclose(pipe) == 0;
}

}  // namespace priorityd
