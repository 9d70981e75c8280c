#include "client/examples/site_factor/account_bonus.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::site_factor_example {

absl::StatusOr<AccountBonus> ParseAccountBonus(absl::string_view text) {
  AccountBonus bonuses;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    int32_t bonus = 0;
    if (words.size() != 2 || !absl::SimpleAtoi(words[1], &bonus)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": got \"", line, "\", want ACCOUNT BONUS"));
    }
    if (!bonuses.emplace(words[0], bonus).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": got ", words[0], " twice, want it once"));
    }
  }
  return bonuses;
}

absl::StatusOr<AccountBonus> ReadAccountBonus(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  }
  absl::StatusOr<AccountBonus> bonuses = ParseAccountBonus(text);
  if (bonuses.ok()) return bonuses;
  return absl::InvalidArgumentError(absl::StrCat(path, " ", bonuses.status().message()));
}

}  // namespace priorityd::site_factor_example
