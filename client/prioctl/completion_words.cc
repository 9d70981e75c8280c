#include "client/prioctl/completion_words.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace priorityd::prioctl {
namespace {

// The line's words with `--users=am` in one, and the part of the last one that the shell knows.
struct Typed {
  std::vector<std::string> words;
  std::string last;
};

Typed Join(const std::vector<std::string>& words) {
  Typed typed;
  bool joins = false;
  for (const std::string& word : words) {
    const bool divides = word == "=" || word == ":";
    if ((divides || joins) && !typed.words.empty()) {
      typed.words.back() += word;
    } else {
      typed.words.push_back(word);
    }
    joins = divides;
    typed.last = divides ? "" : word;
  }
  return typed;
}

bool IsOption(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

// The option of a word such as -u, --users or --users=amy, of this command or one above it.
const CLI::Option* FindOption(const CLI::App* app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  for (; app != nullptr; app = app->get_parent()) {
    if (const CLI::Option* option = app->get_option_no_throw(name)) return option;
  }
  return nullptr;
}

const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// The command and the options before the last word.
struct Place {
  const CLI::App* command;
  const CLI::Option* awaiting = nullptr;  // its value follows
  std::vector<std::string> arguments;
  std::vector<std::string> connection;
};

// Whether the option says how to call the service; `-M` is then `--cluster`.
bool IsOfConnection(const CLI::Option& option) {
  static const char* const kNames[] = {"server", "cluster",      "clusters", "auth",   "token-file",
                                       "tls-ca", "munge-socket", "tls-cert", "tls-key"};
  const auto& names = option.get_lnames();
  return !names.empty() &&
         std::find(std::begin(kNames), std::end(kNames), names[0]) != std::end(kNames);
}

void KeepOfConnection(const CLI::Option& option, const std::string& value, Place* place) {
  if (!IsOfConnection(option)) return;
  const std::string& name = option.get_lnames()[0];
  place->connection.push_back(name == "clusters" ? "--cluster" : "--" + name);
  place->connection.push_back(value);
}

Place Walk(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{.command = &app};
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.awaiting != nullptr) {
      KeepOfConnection(*std::exchange(place.awaiting, nullptr), word, &place);
    } else if (IsOption(word)) {
      const CLI::Option* option = FindOption(place.command, word);
      const size_t equals = word.find('=');
      if (option == nullptr || option->get_expected_max() == 0) continue;
      if (equals == std::string::npos) {
        place.awaiting = option;
      } else {
        KeepOfConnection(*option, word.substr(equals + 1), &place);
      }
    } else if (const CLI::App* below = FindCommand(*place.command, word)) {
      place.command = below;
    } else {
      place.arguments.push_back(word);
    }
  }
  return place;
}

const CLI::Option* FindArgument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) return option;
  }
  return nullptr;
}

// Of `hold 7 `, `show job ` and `modify user `; after `set` there are only words with `=`.
std::optional<NameKind> KindAfter(const std::vector<std::string>& arguments) {
  for (auto word = arguments.rbegin(); word != arguments.rend(); ++word) {
    if (absl::EqualsIgnoreCase(*word, "set")) return std::nullopt;
    if (const auto kind = KindOfWord(*word)) return kind;
  }
  return std::nullopt;
}

std::optional<NameKind> KindOfArgument(const Place& place) {
  const CLI::Option* argument = FindArgument(*place.command);
  if (argument == nullptr) return std::nullopt;
  // Slurm's tools with a grammar of their own.
  if (argument->get_name() == "COMMAND") return KindAfter(place.arguments);
  // `cluster show NAME`, `grant transfer FROM TO`
  const CLI::App* group = place.command->get_parent();
  const bool is_of_group = argument->get_name() == "NAME" || argument->get_name() == "FROM";
  if (is_of_group && group != nullptr) return KindOfWord(group->get_name());
  return KindOfOption(*argument);
}

std::optional<NameKind> KindOf(const Place& place, const std::string& word) {
  const size_t equals = word.find('=');
  if (place.awaiting != nullptr) return KindOfOption(*place.awaiting);
  if (equals == std::string::npos) {
    return IsOption(word) ? std::nullopt : KindOfArgument(place);
  }
  if (!IsOption(word)) return KindOfWord(word.substr(0, equals));
  const CLI::Option* option = FindOption(place.command, word);
  return option == nullptr ? std::nullopt : KindOfOption(*option);
}

}  // namespace

std::optional<NameKind> KindOfWord(std::string word) {
  static const auto& kinds = *new absl::flat_hash_map<std::string, NameKind>{
      {"account", NameKind::kAccount},
      {"accounts", NameKind::kAccount},
      {"cluster", NameKind::kCluster},
      {"clusters", NameKind::kCluster},
      {"compare-to", NameKind::kJob},
      {"compare-to-partition", NameKind::kPartition},
      {"compare-to-qos", NameKind::kQos},
      {"coordinator", NameKind::kUser},
      {"defaultaccount", NameKind::kAccount},
      {"defaultqos", NameKind::kQos},
      {"grant", NameKind::kGrant},
      {"hold", NameKind::kJob},
      {"job", NameKind::kJob},
      {"jobid", NameKind::kJob},
      {"jobs", NameKind::kJob},
      {"on-behalf-of", NameKind::kUser},
      {"parent", NameKind::kAccount},
      {"partition", NameKind::kPartition},
      {"partitionname", NameKind::kPartition},
      {"partitions", NameKind::kPartition},
      {"qos", NameKind::kQos},
      {"release", NameKind::kJob},
      {"reservation", NameKind::kReservation},
      {"reservationname", NameKind::kReservation},
      {"top", NameKind::kJob},
      {"uhold", NameKind::kJob},
      {"uid", NameKind::kUser},
      {"user", NameKind::kUser},
      {"users", NameKind::kUser},
  };
  absl::AsciiStrToLower(&word);
  const auto found = kinds.find(absl::StripPrefix(word, "--"));
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NameKind> KindOfOption(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return std::nullopt;
  if (option.get_positional()) return KindOfWord(option.get_name());
  for (const std::string& name : option.get_lnames()) {
    if (const auto kind = KindOfWord(name)) return kind;
  }
  return std::nullopt;
}

std::optional<MissingName> FindMissingName(const CLI::App& app, std::vector<std::string> words) {
  const Typed typed = Join(words);
  if (typed.words.empty()) return std::nullopt;
  const Place place = Walk(app, typed.words);
  const std::optional<NameKind> kind = KindOf(place, typed.words.back());
  if (!kind.has_value()) return std::nullopt;
  const std::string& word = typed.last;
  const size_t equals = place.awaiting != nullptr ? std::string::npos : word.find('=');
  const size_t begin = equals == std::string::npos ? 0 : equals + 1;
  const size_t comma = word.rfind(',');
  const size_t name = comma == std::string::npos ? begin : std::max(begin, comma + 1);
  return MissingName{*kind, word.substr(0, name), word.substr(name), place.connection};
}

}  // namespace priorityd::prioctl
