#include "storage/embedded_postgres/postgres_installation.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace priorityd::storage {
namespace {

namespace fs = std::filesystem;

constexpr char kVersionsRoot[] = "/usr/lib/postgresql";

bool HasPrograms(const fs::path& directory) {
  return access((directory / "initdb").c_str(), X_OK) == 0 &&
         access((directory / "postgres").c_str(), X_OK) == 0;
}

// Newest first.
std::vector<int> InstalledVersions() {
  std::vector<int> versions;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(kVersionsRoot, error)) {
    int version = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &version)) continue;
    if (HasPrograms(entry.path() / "bin")) versions.push_back(version);
  }
  std::sort(versions.begin(), versions.end(), std::greater<int>());
  return versions;
}

}  // namespace

absl::StatusOr<std::string> FindPostgresPrograms(const std::string& major_version) {
  for (int version : InstalledVersions()) {
    if (major_version.empty() || major_version == absl::StrCat(version)) {
      return absl::StrCat(kVersionsRoot, "/", version, "/bin");
    }
  }
  const char* path = std::getenv("PATH");
  for (absl::string_view directory : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (!directory.empty() && HasPrograms(std::string(directory))) return std::string(directory);
  }
  std::string want = major_version.empty() ? "" : absl::StrCat("-", major_version);
  return absl::FailedPreconditionError(
      absl::StrCat("PostgreSQL: found no initdb and postgres in ", kVersionsRoot, "/*/bin or PATH",
                   "; install the package postgresql", want, " or give --database_url"));
}

absl::StatusOr<PostgresUser> PostgresUser::Choose() {
  return geteuid() == 0 ? FirstOf({"priorityd", "postgres"}) : PostgresUser();
}

absl::StatusOr<PostgresUser> PostgresUser::FirstOf(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    passwd entry;
    passwd* found = nullptr;
    char buffer[4096];
    if (getpwnam_r(name.c_str(), &entry, buffer, sizeof(buffer), &found) == 0 && found != nullptr) {
      PostgresUser user;
      user.other_ = Account{name, found->pw_uid, found->pw_gid};
      return user;
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("PostgreSQL: does not run as root, and there is none of the users ",
                   absl::StrJoin(names, ", "), " to run it as: make one by `useradd --system ",
                   names.front(), "`, or start priorityd as another user than root"));
}

std::vector<std::string> PostgresUser::CommandPrefix(const std::string& signal_name) const {
  std::vector<std::string> words = {"setpriv", absl::StrCat("--pdeathsig=", signal_name)};
  if (other_.has_value()) {
    words.push_back(absl::StrCat("--reuid=", other_->uid));
    words.push_back(absl::StrCat("--regid=", other_->gid));
    words.push_back("--init-groups");
  }
  words.push_back("--");
  return words;
}

absl::Status PostgresUser::Own(const std::string& path) const {
  if (!other_.has_value() || chown(path.c_str(), other_->uid, other_->gid) == 0) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(
      errno, absl::StrCat("data_dir: cannot give ", path, " to the user ", other_->name));
}

}  // namespace priorityd::storage
