// Gives the settings of a configuration file to CLI11.
#ifndef PRIORITYD_SERVER_SETTINGS_READER_H_
#define PRIORITYD_SERVER_SETTINGS_READER_H_

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/settings_file.h"

namespace priorityd {

// A flag that the command line has keeps the command line's values. Throws CLI::ConfigError,
// `FILE line N: reason`, for a file that is no settings file, an unknown flag, one that is for the
// command line only, a value that is missing, and a second value of a flag that has one.
class SettingsReader : public CLI::ConfigBase {
 public:
  // Keeps the settings in `*settings`. REQUIRES: both outlive the parser.
  SettingsReader(const CLI::App* app, std::vector<Setting>* settings)
      : app_(app), settings_(settings) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  void Check(const Setting& setting, bool is_first) const;

  const CLI::App* const app_;
  std::vector<Setting>* const settings_;
};

// The file of set_config; empty if the command line names none.
std::string ConfigFileOf(const CLI::App& app);

// `FILE line N: ` of the setting that `error`, such as `--listen: got x`, is about; empty if no
// setting has that name. REQUIRES: the parser of `app` threw `error`.
std::string PlaceOfError(const CLI::App& app, const std::vector<Setting>& settings,
                         absl::string_view error);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_SETTINGS_READER_H_
