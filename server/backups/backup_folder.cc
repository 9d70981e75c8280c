#include "server/backups/backup_folder.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "server/files/read_file.h"

namespace priorityd::backups {
namespace {

namespace fs = std::filesystem;

constexpr char kPart[] = ".part";
constexpr char kManifest[] = ".manifest";
constexpr size_t kPieceBytes = size_t{1} << 20;

absl::Status FileError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("backup: cannot ", what, " ", path));
}

absl::Status FolderError(const std::string& path, const std::error_code& error) {
  return absl::FailedPreconditionError(
      absl::StrCat("backup_dir: got ", path, ": ", error.message(),
                   ", want a folder that priorityd can read and write"));
}

// Empty for a folder that does not exist.
absl::StatusOr<std::vector<fs::path>> Entries(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); entry != fs::directory_iterator();
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) return FolderError(folder, error);
  return entries;
}

// Its content, or with a folder its entries, is on disk.
absl::Status Sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return FileError("open", path);
  const bool synced = fsync(file) == 0;
  const absl::Status status = synced ? absl::OkStatus() : FileError("write", path);
  close(file);
  return status;
}

absl::Status WriteWhole(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return FileError("create", path);
  const ssize_t written = write(file, text.data(), text.size());
  absl::Status status;
  if (written < 0) {
    status = FileError("write", path);
  } else if (static_cast<size_t>(written) < text.size()) {
    errno = ENOSPC;
    status = FileError("write", path);
  }
  close(file);
  return status;
}

struct FileDigest {
  int64_t bytes = 0;
  std::string sha256;
};

absl::StatusOr<FileDigest> Digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError("open", path);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sums(EVP_MD_CTX_new(),
                                                                     EVP_MD_CTX_free);
  bool summed = EVP_DigestInit_ex(sums.get(), EVP_sha256(), nullptr) == 1;
  FileDigest digest;
  std::vector<char> piece(kPieceBytes);
  while (file.good() && summed) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest.bytes += file.gcount();
    summed = EVP_DigestUpdate(sums.get(), piece.data(), static_cast<size_t>(file.gcount())) == 1;
  }
  if (file.bad()) return FileError("read", path);
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (!summed || EVP_DigestFinal_ex(sums.get(), sum, &size) != 1) {
    return absl::InternalError(absl::StrCat("backup: cannot compute the SHA-256 of ", path));
  }
  const absl::string_view bytes(reinterpret_cast<const char*>(sum), size);
  digest.sha256 = absl::BytesToHexString(bytes);
  return digest;
}

// `path`.part becomes `path`, which is on disk afterwards.
absl::Status Publish(const std::string& path) {
  if (absl::Status s = Sync(path + kPart); !s.ok()) return s;
  if (rename((path + kPart).c_str(), path.c_str()) != 0) return FileError("rename", path + kPart);
  return Sync(fs::path(path).parent_path().string());
}

}  // namespace

std::string BackupFolder::DumpOf(const std::string& name) const {
  return absl::StrCat(path_, "/", name, ".dump");
}

std::string BackupFolder::ManifestOf(const std::string& name) const {
  return absl::StrCat(path_, "/", name, kManifest);
}

absl::StatusOr<std::string> BackupFolder::Begin(const std::string& name) {
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) {
    return FolderError(path_, std::error_code(errno, std::generic_category()));
  }
  const auto entries = Entries(path_);
  if (!entries.ok()) return entries.status();
  for (const fs::path& entry : *entries) {
    if (absl::EndsWith(entry.string(), kPart)) fs::remove(entry, error);
  }
  const bool is_there = fs::exists(ManifestOf(name), error);
  if (error) return FolderError(path_, error);
  if (is_there) {
    return absl::AlreadyExistsError(
        absl::StrCat("backup: got ", name, " twice in a second, want one a second"));
  }
  const std::string part = DumpOf(name) + kPart;
  if (absl::Status s = WriteWhole(part, ""); !s.ok()) return s;
  return part;
}

absl::Status BackupFolder::Finish(Backup* backup) {
  const std::string dump = DumpOf(backup->name);
  if (absl::Status s = Publish(dump); !s.ok()) return s;
  const auto content = Digest(dump);
  if (!content.ok()) return content.status();
  backup->bytes = content->bytes;
  backup->sha256 = content->sha256;
  return Write(*backup);
}

absl::Status BackupFolder::CheckDump(const Backup& backup) const {
  const auto content = Digest(DumpOf(backup.name));
  if (!content.ok()) return absl::DataLossError(content.status().message());
  const auto damaged = [&](const auto& got, const auto& want, absl::string_view what) {
    return absl::DataLossError(absl::StrCat(backup.name, ".dump: got ", got, what, ", want ", want,
                                            ": it was changed after it was made"));
  };
  if (content->bytes != backup.bytes) return damaged(content->bytes, backup.bytes, " bytes");
  if (backup.sha256.empty() || content->sha256 == backup.sha256) return absl::OkStatus();
  return damaged(content->sha256, backup.sha256, " as the SHA-256");
}

void BackupFolder::Abandon(const std::string& name) {
  std::error_code ignored;
  for (const std::string& path : {DumpOf(name), ManifestOf(name)}) {
    fs::remove(path + kPart, ignored);
    fs::remove(path, ignored);
  }
}

absl::StatusOr<std::vector<Backup>> BackupFolder::List() const {
  const auto entries = Entries(path_);
  if (!entries.ok()) return entries.status();
  std::vector<Backup> backups;
  for (const fs::path& entry : *entries) {
    const std::string name = entry.stem().string();
    if (entry.extension() != kManifest || !IsBackupName(name)) continue;
    const auto text = files::ReadFile(entry.string());
    if (absl::IsNotFound(text.status())) continue;  // Expire has deleted it meanwhile.
    auto backup = text.ok() ? FromText(name, *text) : text.status();
    backups.push_back(backup.ok() ? *std::move(backup) : Damaged(name, backup.status().message()));
  }
  std::sort(backups.begin(), backups.end(), [](const Backup& a, const Backup& b) {
    return std::pair(a.begun_at, a.name) < std::pair(b.begun_at, b.name);
  });
  return backups;
}

absl::StatusOr<Backup> BackupFolder::Find(const std::string& name) const {
  auto backups = List();
  if (!backups.ok()) return backups.status();
  for (auto backup = backups->rbegin(); backup != backups->rend(); ++backup) {
    if (name.empty() ? !backup->fault.empty() : backup->name != name) continue;
    if (!backup->fault.empty()) return absl::DataLossError(backup->fault);
    return *backup;
  }
  if (name.empty() && !backups->empty()) return absl::DataLossError(backups->back().fault);
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("name: got ", name.empty() ? "no backup" : "",
                                       name.empty() ? "" : "\"", absl::CHexEscape(name),
                                       name.empty() ? "" : "\"", " in ", path_,
                                       ", want one that `prioctl backup list` prints")),
      "UNKNOWN_BACKUP");
}

absl::Status BackupFolder::Write(const Backup& backup) {
  const std::string manifest = ManifestOf(backup.name);
  if (absl::Status s = WriteWhole(manifest + kPart, ToText(backup)); !s.ok()) return s;
  return Publish(manifest);
}

// The manifest last: a dump without it would stay, unknown to all.
absl::Status BackupFolder::Delete(const std::string& name) {
  for (const std::string& path : {DumpOf(name), ManifestOf(name)}) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT) return FileError("delete", path);
  }
  return absl::OkStatus();
}

Expired BackupFolder::Expire(int keep) {
  auto backups = List();
  if (!backups.ok()) return {{}, {std::string(backups.status().message())}};
  std::reverse(backups->begin(), backups->end());
  std::map<std::string, int> kept;
  bool has_verified = false;
  Expired expired;
  for (const Backup& backup : *backups) {
    if (!backup.fault.empty()) {
      expired.faults.push_back(backup.fault);
      continue;
    }
    const bool is_newest_verified = backup.verified_at.has_value() && !has_verified;
    has_verified |= is_newest_verified;
    if (kept[backup.reason]++ < keep || is_newest_verified) continue;
    const absl::Status status = Delete(backup.name);
    status.ok() ? expired.deleted.push_back(backup.name)
                : expired.faults.push_back(std::string(status.message()));
  }
  return expired;
}

}  // namespace priorityd::backups
