#include "server/logging/log_level.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace priorityd::logging {
namespace {

constexpr struct {
  absl::string_view name;
  spdlog::level::level_enum level;
} kNamedLevels[] = {{"trace", spdlog::level::trace},  {"debug", spdlog::level::debug},
                    {"info", spdlog::level::info},    {"warn", spdlog::level::warn},
                    {"warning", spdlog::level::warn}, {"error", spdlog::level::err}};

// The file may hold anything.
constexpr int kMaxWord = 32;

}  // namespace

absl::StatusOr<spdlog::level::level_enum> ParseLogLevel(absl::string_view name) {
  const auto* found = std::find_if(std::begin(kNamedLevels), std::end(kNamedLevels),
                                   [&](const auto& level) { return level.name == name; });
  if (found != std::end(kNamedLevels)) return found->level;
  return absl::InvalidArgumentError(
      absl::StrCat("got ", name, ", want trace, debug, info, warn or error"));
}

absl::StatusOr<spdlog::level::level_enum> LogLevel::Wanted() const {
  std::ifstream file(file_);
  if (file_.empty() || !file) return usual_;
  char word[kMaxWord + 1] = "";
  file.width(sizeof(word));
  file >> word;
  return ParseLogLevel(word);
}

void LogLevel::Read() const {
  const absl::StatusOr<spdlog::level::level_enum> wanted = Wanted();
  if (!wanted.ok()) {
    spdlog::error("--log_level_file: {}: {}; the log level is unchanged", file_,
                  std::string(wanted.status().message()));
    return;
  }
  const spdlog::level::level_enum before = spdlog::get_level();
  if (*wanted == before) return;
  // Log the change if either of the two levels shows it.
  spdlog::set_level(std::min(before, *wanted));
  spdlog::info("log level {}", spdlog::level::to_string_view(*wanted));
  spdlog::set_level(*wanted);
}

}  // namespace priorityd::logging
