#include "server/sign_in/cookies.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::sign_in {
namespace {

// Of the `/` behind the host.
size_t PathBegin(absl::string_view page_url) {
  return page_url.find('/', page_url.find("://") + 3);
}

}  // namespace

CookieJar::CookieJar(absl::string_view page_url)
    : is_secure_(absl::StartsWith(page_url, "https:")),
      path_(page_url.substr(PathBegin(page_url))) {}

std::string CookieJar::NameOf(absl::string_view name) const {
  // Browsers let nobody but this host over TLS set names with these prefixes.
  if (!is_secure_) return std::string(name);
  return absl::StrCat(path_ == "/" ? "__Host-" : "__Secure-", name);
}

std::string CookieJar::ValueIn(absl::string_view header, absl::string_view name) const {
  const std::string begin = NameOf(name) + "=";
  std::string value;
  for (absl::string_view pair : absl::StrSplit(header, absl::ByAnyChar(";,"))) {
    pair = absl::StripAsciiWhitespace(pair);
    if (!absl::ConsumePrefix(&pair, begin)) continue;
    if (!value.empty()) return "";
    value = std::string(pair);
  }
  return value;
}

std::string CookieJar::Setting(absl::string_view name, absl::string_view value,
                               absl::Duration lasts) const {
  return absl::StrCat(NameOf(name), "=", value, "; Path=", path_,
                      "; Max-Age=", absl::ToInt64Seconds(lasts), "; HttpOnly; SameSite=Lax",
                      is_secure_ ? "; Secure" : "");
}

std::string OriginOf(absl::string_view page_url) {
  return absl::AsciiStrToLower(page_url.substr(0, PathBegin(page_url)));
}

}  // namespace priorityd::sign_in
