#include "server/reload.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "server/flags/settings_file.h"

namespace priorityd {
namespace {

std::vector<std::string> NeedRestart(const flags::Flags& running, const flags::Flags& again) {
  std::vector<std::string> names = flags::ChangedNames(running.settings, again.settings);
  std::erase_if(names, [](const std::string& name) {
    return name == "log_level" || name == "log_level_file";
  });
  return names;
}

}  // namespace

absl::StatusOr<logging::LogLevel> LogLevelOf(const flags::Flags& flags) {
  const auto usual = logging::ParseLogLevel(flags.log_level);
  if (!usual.ok()) return usual.status();
  return logging::LogLevel(*usual, flags.log_level_file);
}

void Reload(const flags::Flags& running, const absl::StatusOr<flags::Flags>& again,
            logging::LogLevel* level) {
  if (!again.ok()) {
    spdlog::error("the configuration is not read again: {}",
                  absl::StrReplaceAll(again.status().message(), {{"\n", "; "}}));
  } else if (auto read = LogLevelOf(*again); read.ok()) {
    *level = *std::move(read);
    const std::vector<std::string> names = NeedRestart(running, *again);
    if (!names.empty()) {
      spdlog::warn("changed settings take effect when priorityd is started again: {}",
                   absl::StrJoin(names, ", "));
    }
  }
  level->Read();
}

}  // namespace priorityd
