// Gives the settings of a configuration file to CLI11.
#ifndef PRIORITYD_SERVER_FLAGS_SETTINGS_READER_H_
#define PRIORITYD_SERVER_FLAGS_SETTINGS_READER_H_

#include <CLI/CLI.hpp>
#include <istream>
#include <string>
#include <vector>

#include "server/flags/settings_file.h"

namespace priorityd::flags {

// A flag that the command line has keeps the command line's values. Throws CLI::ConfigError with
// every wrong line of the file, as WrongLines::Text: one that is no setting, an unknown flag, one
// that is for the command line only, a value that is missing or that the flag does not take, a
// second value of a flag that has one, and a flag without another that it needs.
class SettingsReader : public CLI::ConfigBase {
 public:
  // Keeps the settings in `*settings`. REQUIRES: both outlive the parser.
  SettingsReader(CLI::App* app, std::vector<Setting>* settings) : app_(app), settings_(settings) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  CLI::App* const app_;
  std::vector<Setting>* const settings_;
};

// The file of set_config; empty if the command line names none.
std::string ConfigFileOf(const CLI::App& app);

}  // namespace priorityd::flags

#endif  // PRIORITYD_SERVER_FLAGS_SETTINGS_READER_H_
