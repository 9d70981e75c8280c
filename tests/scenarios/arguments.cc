#include "tests/scenarios/arguments.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/scenarios/scenario_time.h"

namespace priorityd::scenarios {
namespace {

bool IsTres(absl::string_view name) {
  return name == "cpu" || name == "mem" || name == "node" || name == "energy" ||
         absl::StrContains(name, '/');
}

}  // namespace

Arguments::Arguments(absl::string_view text) {
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t equals = word.find('=');
    if (equals == absl::string_view::npos) {
      arguments_.push_back({"", std::string(word)});
    } else {
      arguments_.push_back(
          {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))});
    }
  }
}

std::string Arguments::Word(absl::string_view want) {
  std::string word = WordOrEmpty();
  if (word.empty()) Fail("words", "none", want);
  return word;
}

std::string Arguments::WordOrEmpty() {
  for (Argument& argument : arguments_) {
    if (argument.taken || !argument.name.empty()) continue;
    argument.taken = true;
    return argument.value;
  }
  return "";
}

bool Arguments::Flag(absl::string_view word) {
  for (Argument& argument : arguments_) {
    if (argument.taken || !argument.name.empty() || argument.value != word) continue;
    argument.taken = true;
    return true;
  }
  return false;
}

Arguments::Argument* Arguments::Find(absl::string_view name) {
  for (Argument& argument : arguments_) {
    if (argument.taken || argument.name != name) continue;
    argument.taken = true;
    return &argument;
  }
  return nullptr;
}

bool Arguments::Has(absl::string_view name) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument& argument) {
    return !argument.taken && argument.name == name;
  });
}

std::string Arguments::Text(absl::string_view name) {
  const Argument* const argument = Find(name);
  return argument == nullptr ? "" : argument->value;
}

std::vector<std::string> Arguments::List(absl::string_view name) {
  return absl::StrSplit(Text(name), ',', absl::SkipEmpty());
}

double Arguments::ToNumber(const Argument& argument) {
  double number = 0;
  if (!absl::SimpleAtod(argument.value, &number)) Fail(argument.name, argument.value, "a number");
  return number;
}

double Arguments::Number(absl::string_view name, double otherwise) {
  const Argument* const argument = Find(name);
  return argument == nullptr ? otherwise : ToNumber(*argument);
}

absl::Time Arguments::Time(absl::string_view name, std::optional<absl::Time> now) {
  const Argument* const argument = Find(name);
  const std::string text = argument == nullptr ? "now" : argument->value;
  const std::optional<absl::Time> time = ParseTime(text, now);
  if (!time.has_value()) {
    Fail(name, text, "a time such as 2026-01-05, 2026-01-05T12:30Z or now-2h (once time is set)");
  }
  return time.value_or(absl::UnixEpoch());
}

absl::Duration Arguments::Duration(absl::string_view name) {
  const Argument* const argument = Find(name);
  if (argument == nullptr) return absl::ZeroDuration();
  const std::optional<absl::Duration> duration = ParseDuration(argument->value);
  if (!duration.has_value()) Fail(name, argument->value, "a duration such as 7d, 1d12h or 90s");
  return duration.value_or(absl::ZeroDuration());
}

std::vector<std::pair<std::string, double>> Arguments::Tres() {
  std::vector<std::pair<std::string, double>> tres;
  for (Argument& argument : arguments_) {
    if (argument.taken || !IsTres(argument.name)) continue;
    argument.taken = true;
    tres.emplace_back(argument.name, ToNumber(argument));
  }
  return tres;
}

absl::Status Arguments::Finish() const {
  if (!mistake_.ok()) return mistake_;
  for (const Argument& argument : arguments_) {
    if (argument.taken) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("unknown argument: ", argument.name.empty() ? argument.value : argument.name));
  }
  return absl::OkStatus();
}

void Arguments::Fail(absl::string_view name, absl::string_view got, absl::string_view want) {
  mistake_.Update(absl::InvalidArgumentError(absl::StrCat(name, ": got ", got, ", want ", want)));
}

}  // namespace priorityd::scenarios
