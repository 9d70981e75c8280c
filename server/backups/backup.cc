#include "server/backups/backup.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::backups {
namespace {

constexpr absl::string_view kPrefix = "priorityd-";
constexpr const char* kReasons[] = {kManual, kBeforeImport, kBeforeMigration, kBeforeUpgrade};
constexpr char kNameTime[] = "%E4Y%m%dT%H%M%SZ";
constexpr size_t kNameTimeBytes = 16;
constexpr size_t kSha256Digits = 64;

bool ReadTime(absl::string_view text, absl::Time* time) {
  return absl::ParseTime(absl::RFC3339_full, text, time, nullptr);
}

std::string TimeWord(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone());
}

// False for a line that ToText does not write.
bool ReadLine(absl::string_view line, Backup* backup) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  const auto& [word, value] = parts;
  if (word == "begun_at") return ReadTime(value, &backup->begun_at);
  if (word == "verified_at") return ReadTime(value, &backup->verified_at.emplace());
  if (word == "bytes") return absl::SimpleAtoi(value, &backup->bytes);
  if (word == "sha256") {
    backup->sha256 = std::string(value);
    return value.size() == kSha256Digits && absl::c_all_of(value, absl::ascii_isxdigit);
  }
  if (word == "schema_version") return absl::SimpleAtoi(value, &backup->schema_version);
  if (word == "reason") {
    backup->reason = std::string(value);
    return absl::c_linear_search(kReasons, value);
  }
  if (word != "table") return false;
  const std::pair<absl::string_view, absl::string_view> table =
      absl::StrSplit(value, absl::MaxSplits(' ', 1));
  backup->tables[std::string(table.first)] = std::string(table.second);
  return !table.second.empty();
}

}  // namespace

std::string NameOf(absl::Time begun_at, absl::string_view reason) {
  return absl::StrCat(kPrefix, absl::FormatTime(kNameTime, begun_at, absl::UTCTimeZone()), "-",
                      reason);
}

bool IsBackupName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kPrefix) || name.size() <= kNameTimeBytes + 1) return false;
  const absl::string_view time = name.substr(0, kNameTimeBytes);
  for (size_t i = 0; i < time.size(); ++i) {
    const bool is_letter = i == 8 || i == kNameTimeBytes - 1;
    if (is_letter ? time[i] != (i == 8 ? 'T' : 'Z') : !absl::ascii_isdigit(time[i])) return false;
  }
  return name[kNameTimeBytes] == '-' &&
         absl::c_linear_search(kReasons, name.substr(kNameTimeBytes + 1));
}

Backup Damaged(const std::string& name, absl::string_view fault) {
  Backup backup;
  backup.name = name;
  backup.fault = std::string(fault);
  const absl::string_view rest = absl::StripPrefix(name, kPrefix);
  absl::ParseTime(kNameTime, rest.substr(0, kNameTimeBytes), &backup.begun_at, nullptr);
  backup.reason = std::string(rest.substr(std::min(rest.size(), kNameTimeBytes + 1)));
  return backup;
}

std::string ToText(const Backup& backup) {
  std::string text =
      absl::StrCat("begun_at ", TimeWord(backup.begun_at), "\nbytes ", backup.bytes, "\nreason ",
                   backup.reason, "\nschema_version ", backup.schema_version, "\n");
  if (!backup.sha256.empty()) absl::StrAppend(&text, "sha256 ", backup.sha256, "\n");
  if (backup.verified_at.has_value()) {
    absl::StrAppend(&text, "verified_at ", TimeWord(*backup.verified_at), "\n");
  }
  for (const auto& [table, digest] : backup.tables) {
    absl::StrAppend(&text, "table ", table, " ", digest, "\n");
  }
  return text;
}

absl::StatusOr<Backup> FromText(const std::string& name, absl::string_view text) {
  Backup backup;
  backup.name = name;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    ++number;
    if (ReadLine(line, &backup)) continue;
    return absl::DataLossError(absl::StrCat(name, ".manifest:", number, ": got \"",
                                            absl::CHexEscape(line.substr(0, 80)),
                                            "\", want a value of a backup"));
  }
  if (backup.tables.empty() || backup.reason.empty()) {
    return absl::DataLossError(absl::StrCat(name, ".manifest: got no ",
                                            backup.reason.empty() ? "reason" : "tables",
                                            ", want the whole file"));
  }
  return backup;
}

}  // namespace priorityd::backups
