#include "client/prioctl/replay/grants_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/grants/settings.h"

namespace priorityd::replay {
namespace {

using laboratory::TriedGrant;

absl::Status Unwanted(absl::string_view name, absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": got \"", absl::CHexEscape(got), "\", want ", want));
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

absl::StatusOr<TriedGrant> ReadLine(absl::string_view line, const laboratory::Site& site,
                                    const absl::TimeZone& zone, absl::Time begin) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
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
    cells[std::string(*name)] = parts.second;
  }
  auto settings = grants::Read(cells, zone, begin);
  if (!settings.ok()) return settings.status();
  grant.settings = *std::move(settings);
  grant.settings.grant.name = grant.name;
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

}  // namespace

absl::StatusOr<std::vector<TriedGrant>> ReadGrants(const slurm::SourceFile& file,
                                                   const laboratory::Site& site,
                                                   const absl::TimeZone& zone, absl::Time begin) {
  std::vector<TriedGrant> grants;
  size_t number = 0;
  for (const absl::string_view raw : absl::StrSplit(file.content, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    auto grant = ReadLine(line, site, zone, begin);
    absl::Status status = grant.ok() ? CheckBeside(*grant, grants) : grant.status();
    if (status.ok() && grants.size() == kMostTriedGrants) {
      status = absl::InvalidArgumentError(
          absl::StrCat("got more grants, want at most ", kMostTriedGrants));
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name, " line ", number, ": ", status.message()));
    }
    grants.push_back(*std::move(grant));
  }
  return grants;
}

}  // namespace priorityd::replay
