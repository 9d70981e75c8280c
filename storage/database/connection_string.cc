#include "storage/database/connection_string.h"

#include <postgresql/libpq-fe.h>

#include <map>
#include <memory>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace priorityd::storage {
namespace {

using Settings = std::map<std::string, std::string>;

// Sets what `text` says; whether libpq can read it.
bool ReadSettings(const std::string& text, Settings* settings) {
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(text.c_str(), nullptr), &PQconninfoFree);
  if (options == nullptr) return false;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) (*settings)[option->keyword] = option->val;
  }
  return true;
}

// Whether a host or port has a character that no host or port has, but a password may: libpq would
// print it. A host that begins with @ is an abstract Unix socket.
bool MayShowPassword(const Settings& settings) {
  const auto port = settings.find("port");
  if (port != settings.end() &&
      port->second.find_first_not_of("0123456789, ") != std::string::npos) {
    return true;
  }
  const auto hosts = settings.find("host");
  if (hosts == settings.end()) return false;
  return absl::c_any_of(absl::StrSplit(hosts->second, ','), [](absl::string_view host) {
    return host.rfind('@') != absl::string_view::npos && host.rfind('@') > 0;
  });
}

// Reads what `text` says over `settings`; INVALID_ARGUMENT, without a part of it, if it is wrong.
absl::Status ReadUrl(absl::string_view name, const std::string& text, Settings* settings) {
  if (!ReadSettings(text, settings)) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": got text that is no PostgreSQL URL"));
  }
  if (!MayShowPassword(*settings)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": got a host with an @ or a port that is no number, want each / ? and @ of a "
                   "password as %2F %3F and %40"));
}

std::string JoinSettings(const Settings& settings) {
  return JoinConnectionString(std::vector<ConnectionSetting>(settings.begin(), settings.end()));
}

}  // namespace

std::string JoinConnectionString(absl::Span<const ConnectionSetting> settings) {
  std::string words;
  for (const auto& [keyword, value] : settings) {
    absl::StrAppend(&words, words.empty() ? "" : " ", keyword, "='",
                    absl::StrReplaceAll(value, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
  }
  return words;
}

absl::StatusOr<std::string> CompleteConnectionString(const std::string& url,
                                                     const std::string& application_name) {
  Settings settings = {{"connect_timeout", "10"},
                       {"keepalives_idle", "5"},
                       {"keepalives_interval", "2"},
                       {"keepalives_count", "3"},
                       {"tcp_user_timeout", "15000"},
                       {"target_session_attrs", "read-write"},
                       {"fallback_application_name", "priorityd"}};
  if (absl::Status s = ReadUrl("database_url", url, &settings); !s.ok()) return s;
  if (!application_name.empty()) settings["application_name"] = application_name;
  return JoinSettings(settings);
}

absl::StatusOr<std::string> StandbyConnectionString(const std::string& url) {
  Settings settings = {{"target_session_attrs", "prefer-standby"}};
  if (absl::Status s = ReadUrl("reports_database_url", url, &settings); !s.ok()) return s;
  return JoinSettings(settings);
}

std::string ConnectionStringTo(const std::string& connection_string, const std::string& host,
                               const std::string& port) {
  Settings settings;
  ReadSettings(connection_string, &settings);
  settings["target_session_attrs"] = "any";
  const bool is_one_host =
      !absl::StrContains(settings["host"], ',') && !absl::StrContains(settings["hostaddr"], ',');
  if (settings["hostaddr"].empty() || !is_one_host) settings.erase("hostaddr");
  if (settings["host"].empty() || !is_one_host) settings["host"] = host;
  settings["port"] = port;
  return JoinSettings(settings);
}

}  // namespace priorityd::storage
