#include "client/prioctl/policy/supposition.h"

#include <cmath>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/sacctmgr/words.h"
#include "client/prioctl/text/option_error.h"
#include "engine/grants/setting_values.h"

namespace priorityd::prioctl {

using ::priority::v1::SupposedGrant;
using ::priority::v1::SupposedShares;
using ::priority::v1::SupposedTransfer;
using ::priority::v1::SupposedUsage;

namespace {

// `physics:ann=12`: fills what the association is called and returns the value.
template <typename Supposed>
absl::string_view ParseSupposed(const char* option, const std::string& text, const char* want,
                                Supposed* supposed) {
  const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::vector<std::string> names = absl::StrSplit(sides[0], ':');
  if (sides.size() != 2 || names.size() > 3 || names[0].empty()) {
    throw CLI::ValidationError(option, absl::StrCat("got \"", text, "\", want ", want));
  }
  supposed->set_account(names[0]);
  if (names.size() > 1) supposed->set_user(names[1]);
  if (names.size() > 2) supposed->set_partition(names[2]);
  return absl::string_view(text).substr(sides[0].size() + 1);
}

}  // namespace

SupposedShares ParseShares(const std::string& text) {
  constexpr char kWant[] = "ACCOUNT[:USER[:PARTITION]]=N, or =parent";
  SupposedShares shares;
  const absl::string_view value = ParseSupposed("--shares", text, kWant, &shares);
  uint32_t number = 0;
  if (absl::EqualsIgnoreCase(value, "parent")) {
    shares.set_parent_shares(true);
  } else if (absl::SimpleAtoi(value, &number)) {
    shares.set_raw_shares(number);
  } else {
    throw CLI::ValidationError("--shares", absl::StrCat("got \"", text, "\", want ", kWant));
  }
  return shares;
}

SupposedUsage ParseUsage(const std::string& text) {
  constexpr char kWant[] = "ACCOUNT[:USER[:PARTITION]]=BILLING_SECONDS";
  SupposedUsage usage;
  const absl::string_view value = ParseSupposed("--usage", text, kWant, &usage);
  double seconds = 0;
  if (!absl::SimpleAtod(value, &seconds) || !std::isfinite(seconds) || seconds < 0) {
    throw CLI::ValidationError("--usage", absl::StrCat("got \"", text, "\", want ", kWant));
  }
  usage.set_usage(seconds);
  return usage;
}

SupposedGrant ParseGrant(const std::string& text) {
  const auto words = sacctmgr::SplitLine(text);
  SupposedGrant grant;
  bool is_first = true;
  for (const std::string& each : words.ok() ? *words : std::vector<std::string>()) {
    const sacctmgr::Word word = sacctmgr::ReadWord(each);
    if (word.has_value == is_first) break;
    if (is_first) {
      grant.set_name(word.text);
    } else {
      ::priority::v1::Setting* setting = grant.add_settings();
      setting->set_name(word.name);
      setting->set_operator_(word.op);
      setting->set_value(word.value);
    }
    is_first = false;
  }
  if (words.ok() && !words->empty() &&
      static_cast<size_t>(grant.settings_size()) + 1 == words->size() && words->size() > 1) {
    return grant;
  }
  throw CLI::ValidationError(
      "--grant", absl::StrCat("got \"", text, "\", want \"NAME SETTING=VALUE...\", such as \"q4 ",
                              "Accounts=chem Amount=100h Consequence=demote:low\""));
}

TransferWords ParseTransfer(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  if (words.size() != 3 || !grants::ReadAmount(words[2]).ok()) {
    throw CLI::ValidationError("--transfer",
                               absl::StrCat("got \"", text,
                                            "\", want \"FROM TO AMOUNT\", such as \"chem-2026 "
                                            "phys-2026 200h\""));
  }
  return {words[0], words[1], words[2]};
}

absl::StatusOr<SupposedTransfer> ToMessage(const TransferWords& words, bool is_money) {
  const auto amount = is_money ? grants::ReadMoney(words.amount) : grants::ReadAmount(words.amount);
  if (!amount.ok()) {
    return OptionError(absl::StrCat("--transfer: ", words.from, ": ", amount.status().message()));
  }
  SupposedTransfer transfer;
  transfer.set_from(words.from);
  transfer.set_to(words.to);
  if (is_money) {
    transfer.set_amount_tres_seconds(amount->ToDecimal());
  } else {
    transfer.set_amount_minutes(amount->minutes());
  }
  return transfer;
}

bool ParseLength(const std::string& text, absl::Duration* length) {
  if (absl::ParseDuration(text, length) && text != "0") return *length >= absl::ZeroDuration();
  const std::vector<std::string> days = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const std::vector<std::string> clock = absl::StrSplit(days.back(), ':');
  std::vector<uint32_t> numbers(clock.size());
  for (size_t i = 0; i < clock.size(); ++i) {
    if (!absl::SimpleAtoi(clock[i], &numbers[i])) return false;
  }
  if (numbers.size() > 3) return false;
  const size_t given = numbers.size();
  numbers.resize(3);
  if (days.size() == 2) {
    uint32_t count = 0;
    if (!absl::SimpleAtoi(days[0], &count)) return false;
    *length = absl::Hours(24) * count + absl::Hours(numbers[0]) + absl::Minutes(numbers[1]) +
              absl::Seconds(numbers[2]);
  } else if (given == 3) {
    *length = absl::Hours(numbers[0]) + absl::Minutes(numbers[1]) + absl::Seconds(numbers[2]);
  } else {
    *length = absl::Minutes(numbers[0]) + absl::Seconds(numbers[1]);
  }
  return true;
}

}  // namespace priorityd::prioctl
