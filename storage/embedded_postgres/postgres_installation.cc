#include "storage/embedded_postgres/postgres_installation.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "storage/embedded_postgres/child_process.h"

namespace priorityd::storage {
namespace {

namespace fs = std::filesystem;

constexpr char kVersionsRoot[] = "/usr/lib/postgresql";

bool HasPrograms(const fs::path& directory) {
  return access((directory / "initdb").c_str(), X_OK) == 0 &&
         access((directory / "postgres").c_str(), X_OK) == 0;
}

struct Installation {
  int version = 0;       // 0 = unknown.
  std::string programs;  // The directory.
};

// Of Debian's packages.
std::vector<Installation> PackagedInstallations() {
  std::vector<Installation> installations;
  std::error_code error;
  for (fs::directory_iterator entry(kVersionsRoot, error); entry != fs::directory_iterator();
       entry.increment(error)) {
    Installation installation{0, (entry->path() / "bin").string()};
    if (!absl::SimpleAtoi(entry->path().filename().string(), &installation.version)) continue;
    if (HasPrograms(installation.programs)) installations.push_back(std::move(installation));
  }
  return installations;
}

// 15 of `postgres (PostgreSQL) 15.8 (Debian 15.8-0)`; 0 if it cannot be run.
int MajorVersionOf(const std::string& programs) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  std::string path = ((error ? "/tmp" : folder) / "priorityd-version-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return 0;
  close(file);
  std::string line;
  if (RunToEnd({{absl::StrCat(programs, "/postgres"), "--version"}, path}).ok()) {
    std::getline(std::ifstream(path), line);
  }
  unlink(path.c_str());
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  if (words.size() < 3 || words[1] != "(PostgreSQL)") return 0;
  int version = 0;
  const bool is_number =
      absl::SimpleAtoi(words[2].substr(0, words[2].find_first_not_of("0123456789")), &version);
  return is_number ? version : 0;
}

std::vector<Installation> InstallationsInPath() {
  std::vector<Installation> installations;
  const char* path = std::getenv("PATH");
  for (absl::string_view directory : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (directory.empty() || !HasPrograms(std::string(directory))) continue;
    installations.push_back({MajorVersionOf(std::string(directory)), std::string(directory)});
  }
  return installations;
}

// Newest first; of a version, the packaged one.
std::vector<Installation> Installations() {
  std::vector<Installation> all = PackagedInstallations();
  for (Installation& installation : InstallationsInPath()) all.push_back(std::move(installation));
  std::stable_sort(all.begin(), all.end(), [](const Installation& a, const Installation& b) {
    return a.version > b.version;
  });
  return all;
}

absl::Status NoProgramsError() {
  return absl::FailedPreconditionError(
      absl::StrCat("PostgreSQL: found no initdb and postgres in ", kVersionsRoot, "/*/bin or PATH",
                   "; install the package postgresql or give --database_url"));
}

absl::Status NoVersionError(const std::string& want, absl::Span<const Installation> found) {
  return absl::FailedPreconditionError(absl::StrCat(
      "data_dir: its database is of PostgreSQL ", want, ", got programs of ",
      found.empty() ? "no version"
                    : absl::StrJoin(found, ", ",
                                    [](std::string* out, const Installation& installation) {
                                      absl::StrAppend(out, installation.version);
                                    }),
      " in ", kVersionsRoot, "/*/bin and PATH; install the package postgresql-", want,
      ": with a newer version beside it, `priorityd --data_dir=DIR --upgrade_postgres` upgrades "
      "the "
      "database; or restore a backup into a new data_dir (docs/backup.md)"));
}

}  // namespace

absl::StatusOr<std::string> FindPostgresPrograms(const std::string& major_version) {
  const std::vector<Installation> found = Installations();
  for (const Installation& installation : found) {
    if (major_version.empty() || absl::StrCat(installation.version) == major_version) {
      return installation.programs;
    }
  }
  return major_version.empty() ? NoProgramsError() : NoVersionError(major_version, found);
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
