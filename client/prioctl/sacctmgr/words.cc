#include "client/prioctl/sacctmgr/words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

bool IsQuote(char c) { return c == '\'' || c == '"'; }

std::string WithoutQuotes(absl::string_view text) {
  if (text.size() >= 2 && IsQuote(text.front()) && text.front() == text.back()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

// Calls `take(c)` for each character of `text` that is no quote, with whether it is inside quotes;
// false where a quote is not closed.
template <typename Take>
bool WalkQuoted(absl::string_view text, const Take& take) {
  char open = 0;
  for (const char c : text) {
    if (open == 0 && IsQuote(c)) {
      open = c;
    } else if (open == c) {
      open = 0;
    } else {
      take(c, open != 0);
    }
  }
  return open == 0;
}

}  // namespace

Word ReadWord(absl::string_view text) {
  Word word = {.text = std::string(text), .name = WithoutQuotes(text)};
  const size_t sign = text.find('=');
  if (sign == absl::string_view::npos || sign == 0) return word;
  absl::string_view name = text.substr(0, sign);
  if (absl::EndsWith(name, "+")) word.op = v1::SETTING_OPERATOR_ADD;
  if (absl::EndsWith(name, "-")) word.op = v1::SETTING_OPERATOR_REMOVE;
  if (word.op != v1::SETTING_OPERATOR_SET) name.remove_suffix(1);
  word.name = std::string(name);
  word.value = WithoutQuotes(text.substr(sign + 1));
  word.has_value = true;
  return word;
}

bool IsShortFor(absl::string_view word, absl::string_view name, size_t least) {
  return word.size() >= least && !word.empty() && absl::StartsWithIgnoreCase(name, word);
}

std::vector<std::string> SplitNames(absl::string_view list) {
  std::vector<std::string> names(1);
  const bool closed = WalkQuoted(list, [&](char c, bool quoted) {
    if (c == ',' && !quoted) {
      names.emplace_back();
    } else {
      names.back().push_back(c);
    }
  });
  if (!closed) return {std::string(list)};  // An apostrophe.
  if (names.size() == 1) return names;
  std::vector<std::string> filled;
  for (std::string& name : names) {
    if (!name.empty()) filled.push_back(std::move(name));
  }
  return filled;
}

absl::StatusOr<std::vector<std::string>> SplitLine(absl::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  const bool closed = WalkQuoted(line, [&](char c, bool quoted) {
    if (absl::ascii_isspace(c) && !quoted) {
      inside = false;
      return;
    }
    if (!inside) words.emplace_back();
    inside = true;
    words.back().push_back(c);
  });
  if (!closed) return absl::InvalidArgumentError("got a quote that is not closed");
  return words;
}

}  // namespace priorityd::sacctmgr
