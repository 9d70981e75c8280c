#include "server/files/group_file.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/files/read_file.h"

namespace priorityd::files {
namespace {

absl::StatusOr<GroupMembers> Read(const FileStamp& stamp) {
  if (stamp.size < 0) {
    return absl::NotFoundError(absl::StrCat("got ", stamp.path, ", want an existing file"));
  }
  if (stamp.size > static_cast<int64_t>(kMaxGroupFileBytes)) {
    return absl::OutOfRangeError(absl::StrCat(stamp.path, ": got ", stamp.size,
                                              " bytes, want at most ", kMaxGroupFileBytes));
  }
  const absl::StatusOr<std::string> content = ReadFile(stamp.path);
  if (!content.ok()) return content.status();
  absl::StatusOr<GroupMembers> members = ParseGroups(*content);
  if (members.ok()) return members;
  return absl::Status(members.status().code(),
                      absl::StrCat(stamp.path, " ", members.status().message()));
}

}  // namespace

absl::StatusOr<GroupMembers> ParseGroups(absl::string_view content) {
  GroupMembers groups;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, ':');
    if (cells.size() != 4 || cells[0].empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", number, ": got \"", line.substr(0, 80), "\", want name:password:gid:members"));
    }
    auto& members = groups[std::string(cells[0])];
    for (const absl::string_view user : absl::StrSplit(cells[3], ',', absl::SkipWhitespace())) {
      members.emplace(absl::StripAsciiWhitespace(user));
    }
  }
  return groups;
}

GroupFile::GroupFile(FileStamp stamp, GroupMembers members)
    : stamp_(std::move(stamp)), members_(std::move(members)) {}

absl::StatusOr<std::unique_ptr<GroupFile>> GroupFile::Open(const std::string& path) {
  FileStamp stamp = StampOf(path);
  absl::StatusOr<GroupMembers> members = Read(stamp);
  if (!members.ok()) return members.status();
  return std::unique_ptr<GroupFile>(new GroupFile(std::move(stamp), *std::move(members)));
}

bool GroupFile::Has(absl::string_view group, absl::string_view user) const {
  const absl::MutexLock lock(&mutex_);
  if (FileStamp now = StampOf(stamp_.path); now != stamp_) {
    absl::StatusOr<GroupMembers> members = Read(now);
    // One that could not be read is read again at the next look.
    const bool is_seen = members.ok() || absl::IsInvalidArgument(members.status()) ||
                         absl::IsOutOfRange(members.status());
    if (members.ok()) members_ = *std::move(members);
    if (is_seen) stamp_ = std::move(now);
  }
  const auto found = members_.find(group);
  return found != members_.end() && found->second.contains(user);
}

}  // namespace priorityd::files
