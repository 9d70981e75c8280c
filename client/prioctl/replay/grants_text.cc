#include "client/prioctl/replay/grants_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/grants/setting_values.h"
#include "engine/grants/settings.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::replay {
namespace {

using laboratory::TriedGrant;

absl::Status Unwanted(absl::string_view name, absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": got \"", absl::CHexEscape(got), "\", want ", want));
}

absl::Status Faulty(absl::string_view name, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
}

absl::Status CheckSite(const grants::Settings& settings, const laboratory::Site& site) {
  const priority::AssociationTree& tree = *site.tree;
  for (const std::string& account : settings.accounts) {
    if (tree.FindAccount(account) != priority::kNoAssociation) continue;
    return Unwanted("Accounts", account, "an account of the site");
  }
  const std::string& user = settings.user;
  if (!user.empty() && tree.FindUser(settings.accounts[0], user, "") == priority::kNoAssociation) {
    return Unwanted("User", user, "a user of the account");
  }
  const std::string& qos = settings.demoted_qos;
  const bool has_qos =
      qos.empty() || std::any_of(site.qos.begin(), site.qos.end(),
                                 [&](const priority::Qos& one) { return one.name == qos; });
  return has_qos ? absl::OkStatus() : Unwanted("Consequence", qos, "a QOS of the site");
}

std::vector<std::string> WordsOf(absl::string_view line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
}

// A line that moves an amount; a grant of that name has settings.
struct TransferLine {
  size_t number = 0;
  std::vector<std::string> words;
};

bool IsTransfer(const std::vector<std::string>& words) {
  return words[0] == "transfer" && words.size() > 1 && words[1].find('=') == std::string::npos;
}

absl::StatusOr<TriedGrant*> FindGrant(const std::string& name, absl::Time at,
                                      std::vector<TriedGrant>* grants) {
  const auto found =
      absl::c_find_if(*grants, [&](const TriedGrant& grant) { return grant.name == name; });
  if (found == grants->end()) return Unwanted("transfer", name, "the name of a grant of the file");
  const grants::Grant& grant = found->settings.grant;
  if (grant.begin <= at && at < grant.end) return &*found;
  return Unwanted("transfer", name, "a grant that is in force at its time");
}

absl::Status ApplyTransfer(const std::vector<std::string>& words, const absl::TimeZone& zone,
                           absl::Time begin, std::vector<TriedGrant>* grants) {
  if (words.size() != 4 && words.size() != 5) {
    return Unwanted("transfer", absl::StrJoin(words, " "), "transfer FROM TO AMOUNT [TIME]");
  }
  const auto at = words.size() == 5 ? grants::ReadTime(words[4], zone, begin) : begin;
  if (!at.ok()) return Faulty("TIME", at.status());
  const auto from = FindGrant(words[1], *at, grants);
  if (!from.ok()) return from.status();
  const auto to = FindGrant(words[2], *at, grants);
  if (!to.ok()) return to.status();
  if (*from == *to) return Unwanted("transfer", words[2], "another grant than the first one");
  if ((*from)->settings.tres != (*to)->settings.tres) {
    return Unwanted("transfer", words[2], absl::StrCat("a grant of ", (*from)->settings.tres));
  }
  const bool is_money = priority::IsPrice((*from)->settings.tres);
  const auto amount = is_money ? grants::ReadMoney(words[3]) : grants::ReadAmount(words[3]);
  if (!amount.ok()) return Faulty("AMOUNT", amount.status());
  (*from)->settings.grant.transfers.push_back({*at, grants::Amount() - *amount});
  (*to)->settings.grant.transfers.push_back({*at, *amount});
  return absl::OkStatus();
}

absl::Status TooMany(absl::string_view what, size_t most) {
  return absl::InvalidArgumentError(absl::StrCat("got more ", what, ", want at most ", most));
}

absl::StatusOr<TriedGrant> ReadGrant(const std::vector<std::string>& words,
                                     const laboratory::Site& site, const grants::PriceBooks& prices,
                                     const absl::TimeZone& zone, absl::Time begin) {
  TriedGrant grant{.name = words[0]};
  if (grant.name.find('=') != std::string::npos) {
    return Unwanted("NAME", grant.name, "the name of a grant before its settings");
  }
  std::map<std::string, std::string> cells;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    const auto name = grants::FindSetting(parts.first);
    if (!name.ok()) return name.status();
    if (words[i].find('=') == std::string::npos) return Unwanted(*name, "", "SETTING=VALUE");
    const bool is_first = cells.emplace(*name, parts.second).second;
    if (!is_first) return Unwanted(*name, parts.second, "it once");
  }
  auto settings = grants::Read(cells, zone, begin);
  if (!settings.ok()) return settings.status();
  grant.settings = *std::move(settings);
  grant.settings.grant.name = grant.name;
  const std::string& tres = grant.settings.tres;
  if (priority::IsPrice(tres) && !prices.contains(tres)) {
    return Unwanted("TRES", tres, "a TRES, a sum of them or a price book of --prices");
  }
  if (absl::Status s = CheckSite(grant.settings, site); !s.ok()) return s;
  return grant;
}

bool IsOfOwner(const grants::Settings& a, const grants::Settings& b) {
  return a.accounts == b.accounts && a.user == b.user && a.tres == b.tres;
}

absl::Status CheckBeside(const TriedGrant& grant, const std::vector<TriedGrant>& others) {
  const auto rolls = [](const TriedGrant& one) {
    return one.settings.grant.window == grants::WindowKind::kRolling;
  };
  for (const TriedGrant& other : others) {
    if (other.name == grant.name) return Unwanted("NAME", grant.name, "each name once");
    if (!IsOfOwner(other.settings, grant.settings) || (!rolls(other) && !rolls(grant))) continue;
    return Unwanted("Window", grant.name, "no other grant of its owner beside a rolling one");
  }
  return absl::OkStatus();
}

absl::Status InLine(const slurm::SourceFile& file, size_t number, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(file.name, " line ", number, ": ", status.message()));
}

absl::Status AddGrant(const std::vector<std::string>& words, const laboratory::Site& site,
                      const grants::PriceBooks& prices, const absl::TimeZone& zone,
                      absl::Time begin, std::vector<TriedGrant>* grants) {
  auto grant = ReadGrant(words, site, prices, zone, begin);
  absl::Status status = grant.ok() ? CheckBeside(*grant, *grants) : grant.status();
  if (!status.ok()) return status;
  if (grants->size() == kMostTriedGrants) return TooMany("grants", kMostTriedGrants);
  grants->push_back(*std::move(grant));
  return absl::OkStatus();
}

absl::Status AddTransfer(size_t number, std::vector<std::string> words,
                         std::vector<TransferLine>* transfers) {
  if (transfers->size() == kMostTriedTransfers) return TooMany("transfers", kMostTriedTransfers);
  transfers->push_back({number, std::move(words)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TriedGrant>> ReadGrants(const slurm::SourceFile& file,
                                                   const laboratory::Site& site,
                                                   const grants::PriceBooks& prices,
                                                   const absl::TimeZone& zone, absl::Time begin) {
  std::vector<TriedGrant> grants;
  std::vector<TransferLine> transfers;
  size_t number = 0;
  for (const absl::string_view raw : absl::StrSplit(file.content, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> words = WordsOf(line);
    const absl::Status status = IsTransfer(words)
                                    ? AddTransfer(number, std::move(words), &transfers)
                                    : AddGrant(words, site, prices, zone, begin, &grants);
    if (!status.ok()) return InLine(file, number, status);
  }
  if (grants.empty() && transfers.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.name, ": got no lines, want NAME SETTING=VALUE..., a grant on each"));
  }
  for (const TransferLine& line : transfers) {
    const absl::Status status = ApplyTransfer(line.words, zone, begin, &grants);
    if (!status.ok()) return InLine(file, line.number, status);
  }
  return grants;
}

}  // namespace priorityd::replay
