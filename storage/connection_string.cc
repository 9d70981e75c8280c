#include "storage/connection_string.h"

#include <postgresql/libpq-fe.h>

#include <map>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

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

std::string Join(const Settings& settings) {
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
  if (!ReadSettings(url, &settings)) {
    return absl::InvalidArgumentError("database_url: got text that is no PostgreSQL URL");
  }
  if (!application_name.empty()) settings["application_name"] = application_name;
  return Join(settings);
}

absl::StatusOr<std::string> StandbyConnectionString(const std::string& url) {
  Settings settings = {{"target_session_attrs", "prefer-standby"}};
  if (!ReadSettings(url, &settings)) {
    return absl::InvalidArgumentError("reports_database_url: got text that is no PostgreSQL URL");
  }
  return Join(settings);
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
  return Join(settings);
}

}  // namespace priorityd::storage
