#include "client/prioctl/script/script_options.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::script {
namespace {

enum class Value { kNone, kRequired, kOptional };

// An option of sbatch of Slurm 25.11.
struct KnownOption {
  const char* name;
  char letter;  // 0 = none.
  Value value;
};
constexpr Value kNone = Value::kNone;
constexpr Value kRequired = Value::kRequired;
constexpr Value kOptional = Value::kOptional;
constexpr KnownOption kOptions[] = {
    {"account", 'A', kRequired},
    {"array", 'a', kRequired},
    {"begin", 'b', kRequired},
    {"cpus-per-gpu", 0, kRequired},
    {"cpus-per-task", 'c', kRequired},
    {"dependency", 'd', kRequired},
    {"exclusive", 0, kOptional},
    {"gpus", 'G', kRequired},
    {"gpus-per-node", 0, kRequired},
    {"gpus-per-task", 0, kRequired},
    {"gres", 0, kRequired},
    {"hold", 'H', kNone},
    {"job-name", 'J', kRequired},
    {"licenses", 'L', kRequired},
    {"mem", 0, kRequired},
    {"mem-per-cpu", 0, kRequired},
    {"mem-per-gpu", 0, kRequired},
    {"nice", 0, kOptional},
    {"nodes", 'N', kRequired},
    {"ntasks", 'n', kRequired},
    {"ntasks-per-node", 0, kRequired},
    {"tasks-per-node", 0, kRequired},
    {"partition", 'p', kRequired},
    {"priority", 0, kRequired},
    {"qos", 'q', kRequired},
    {"reservation", 0, kRequired},
    {"time", 't', kRequired},
    {"acctg-freq", 0, kRequired},
    {"batch", 0, kRequired},
    {"bb", 0, kRequired},
    {"bbf", 0, kRequired},
    {"chdir", 'D', kRequired},
    {"cluster", 0, kRequired},
    {"cluster-constraint", 0, kRequired},
    {"clusters", 'M', kRequired},
    {"comment", 0, kRequired},
    {"constraint", 'C', kRequired},
    {"consolidate-segments", 0, kNone},
    {"container", 0, kRequired},
    {"container-id", 0, kRequired},
    {"contiguous", 0, kNone},
    {"core-spec", 'S', kRequired},
    {"cores-per-socket", 0, kRequired},
    {"cpu-freq", 0, kRequired},
    {"deadline", 0, kRequired},
    {"delay-boot", 0, kRequired},
    {"distribution", 'm', kRequired},
    {"error", 'e', kRequired},
    {"exclude", 'x', kRequired},
    {"export", 0, kRequired},
    {"export-file", 0, kRequired},
    {"external", 0, kNone},
    {"extra", 0, kRequired},
    {"extra-node-info", 'B', kRequired},
    {"get-user-env", 0, kOptional},
    {"gid", 0, kRequired},
    {"gpu-bind", 0, kRequired},
    {"gpu-freq", 0, kRequired},
    {"gpus-per-socket", 0, kRequired},
    {"gres-flags", 0, kRequired},
    {"hint", 0, kRequired},
    {"ignore-pbs", 0, kNone},
    {"input", 'i', kRequired},
    {"kill-on-invalid-dep", 0, kRequired},
    {"mail-type", 0, kRequired},
    {"mail-user", 0, kRequired},
    {"mcs-label", 0, kRequired},
    {"mem-bind", 0, kRequired},
    {"mincpus", 0, kRequired},
    {"network", 0, kRequired},
    {"no-kill", 'k', kOptional},
    {"no-requeue", 0, kNone},
    {"nodefile", 'F', kRequired},
    {"nodelist", 'w', kRequired},
    {"ntasks-per-core", 0, kRequired},
    {"ntasks-per-gpu", 0, kRequired},
    {"ntasks-per-socket", 0, kRequired},
    {"oom-kill-step", 0, kOptional},
    {"open-mode", 0, kRequired},
    {"output", 'o', kRequired},
    {"overcommit", 'O', kNone},
    {"oversubscribe", 's', kNone},
    {"parsable", 0, kNone},
    {"power", 0, kRequired},
    {"prefer", 0, kRequired},
    {"profile", 0, kRequired},
    {"propagate", 0, kOptional},
    {"quiet", 'Q', kNone},
    {"reboot", 0, kNone},
    {"requeue", 0, kOptional},
    {"segment", 0, kRequired},
    {"signal", 0, kRequired},
    {"sockets-per-node", 0, kRequired},
    {"spread-job", 0, kNone},
    {"spread-segments", 0, kNone},
    {"stepmgr", 0, kNone},
    {"switches", 0, kRequired},
    {"test-only", 0, kNone},
    {"thread-spec", 0, kRequired},
    {"threads-per-core", 0, kRequired},
    {"time-min", 0, kRequired},
    {"tmp", 0, kRequired},
    {"tres-bind", 0, kRequired},
    {"tres-per-task", 0, kRequired},
    {"uid", 0, kRequired},
    {"use-min-nodes", 0, kNone},
    {"verbose", 'v', kNone},
    {"wait", 'W', kNone},
    {"wait-all-nodes", 0, kRequired},
    {"wckey", 0, kRequired},
    {"wrap", 0, kRequired},
    {"x11", 0, kOptional},
};

// The place of an error.
struct Place {
  const std::string& name;
  int line;

  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(name, " line ", line, ": ", what));
  }
};

// Words as a shell splits them; a `#` that begins one ends the line.
absl::StatusOr<std::vector<std::string>> Words(absl::string_view text, const Place& place) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_blank = absl::ascii_isspace(static_cast<unsigned char>(c));
    if (quote == 0 && is_blank) {
      if (word.has_value()) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (quote == 0 && c == '#' && !word.has_value()) break;
    if (!word.has_value()) word.emplace();
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word->push_back(text[++i]);
    } else {
      word->push_back(c);
    }
  }
  if (quote != 0)
    return place.Error(absl::StrCat("got an open quote, want ", std::string(1, quote)));
  if (word.has_value()) words.push_back(*std::move(word));
  return words;
}

// By its whole name, or by the beginning of one alone.
absl::StatusOr<const KnownOption*> FindLong(absl::string_view name, const Place& place) {
  const KnownOption* found = nullptr;
  for (const KnownOption& option : kOptions) {
    if (name == option.name) return &option;
    if (!absl::StartsWith(option.name, name)) continue;
    if (found != nullptr) {
      return place.Error(
          absl::StrCat("got --", name, ", which is --", found->name, " or --", option.name));
    }
    found = &option;
  }
  if (found != nullptr && !name.empty()) return found;
  return place.Error(absl::StrCat("got --", name, ", which sbatch does not have"));
}

absl::StatusOr<const KnownOption*> FindShort(char letter, const Place& place) {
  for (const KnownOption& option : kOptions) {
    if (letter == option.letter) return &option;
  }
  return place.Error(absl::StrCat("got -", std::string(1, letter), ", which sbatch does not have"));
}

// Reads the options of one line.
class LineReader {
 public:
  LineReader(std::vector<std::string> words, const Place& place, std::vector<ScriptOption>* options)
      : words_(std::move(words)), place_(place), options_(options) {}

  absl::Status Read() {
    for (; at_ < words_.size(); ++at_) {
      absl::string_view word = words_[at_];
      absl::Status read;
      if (absl::ConsumePrefix(&word, "--")) {
        read = ReadLong(word);
      } else if (absl::ConsumePrefix(&word, "-") && !word.empty()) {
        read = ReadShort(word);
      } else {
        read = place_.Error(absl::StrCat("got \"", words_[at_], "\", want options"));
      }
      if (!read.ok()) return read;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadLong(absl::string_view word) {
    const size_t equals = word.find('=');
    const auto option = FindLong(word.substr(0, equals), place_);
    if (!option.ok()) return option.status();
    std::optional<std::string> value;
    if (equals != absl::string_view::npos) value = std::string(word.substr(equals + 1));
    return Add(**option, std::move(value));
  }

  // `-N2`, `-N 2`, `-HN2`.
  absl::Status ReadShort(absl::string_view word) {
    while (!word.empty()) {
      const auto option = FindShort(word.front(), place_);
      if (!option.ok()) return option.status();
      word.remove_prefix(1);
      std::optional<std::string> value;
      if ((*option)->value != kNone && !word.empty()) value = std::string(std::exchange(word, ""));
      if (absl::Status s = Add(**option, std::move(value)); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status Add(const KnownOption& option, std::optional<std::string> value) {
    if (option.value == kNone && value.has_value()) {
      return place_.Error(absl::StrCat("--", option.name, ": got a value, want none"));
    }
    if (option.value == kRequired && !value.has_value()) {
      if (at_ + 1 == words_.size()) {
        return place_.Error(absl::StrCat("--", option.name, ": got no value, want one"));
      }
      value = words_[++at_];
    }
    const absl::string_view name =
        option.name == absl::string_view("tasks-per-node") ? "ntasks-per-node" : option.name;
    options_->push_back({std::string(name), value.value_or(""), place_.line});
    return absl::OkStatus();
  }

  const std::vector<std::string> words_;
  const Place& place_;
  std::vector<ScriptOption>* const options_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<ScriptOption>> ReadScriptOptions(const std::string& name,
                                                            absl::string_view content) {
  std::vector<ScriptOption> options;
  int line = 0;
  for (absl::string_view text : absl::StrSplit(content, '\n')) {
    const Place place{name, ++line};
    if (line == 1 && !absl::StartsWith(text, "#!")) {
      return place.Error("got no batch script, want #! and the path of an interpreter, as sbatch");
    }
    text = absl::StripAsciiWhitespace(text);
    if (!text.empty() && text.front() != '#') break;
    if (!absl::ConsumePrefix(&text, "#SBATCH")) continue;
    absl::StatusOr<std::vector<std::string>> words = Words(text, place);
    if (!words.ok()) return words.status();
    absl::Status read = LineReader(*std::move(words), place, &options).Read();
    if (!read.ok()) return read;
  }
  return options;
}

}  // namespace priorityd::script
