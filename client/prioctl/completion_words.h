// The names of the service that may complete a command line that is being typed.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMPLETION_WORDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMPLETION_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace priorityd::prioctl {

enum class NameKind {
  kCluster,
  kAccount,
  kUser,
  kJob,
  kQos,
  kPartition,
  kReservation,
  kGrant,
};

// The kind of name that completes the last word of a command line.
struct MissingName {
  NameKind kind = NameKind::kCluster;
  std::string stem;    // of the word before the name, which candidates repeat: `amy,`
  std::string prefix;  // the typed part of the name
  std::vector<std::string> connection;  // the typed options with which to call the service
};

// The kind that a word stands for, as an option, an argument or a word before `=`: `accounts`,
// `JobId`, `--uid`; nullopt for any other word.
std::optional<NameKind> KindOfWord(std::string word);

// The kind of an option's or argument's values.
std::optional<NameKind> KindOfOption(const CLI::Option& option);

// Reads `words`, which follow the program's name and whose last is being typed, empty where it has
// not begun. bash gives `=` and `:` as words of their own. Nullopt if the word is an option, a
// command, or a value that is no name of the service.
std::optional<MissingName> FindMissingName(const CLI::App& app, std::vector<std::string> words);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMPLETION_WORDS_H_
