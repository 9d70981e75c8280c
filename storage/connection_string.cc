#include "storage/connection_string.h"

#include <postgresql/libpq-fe.h>

#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace priorityd::storage {

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
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(url.c_str(), nullptr), &PQconninfoFree);
  if (options == nullptr) {
    return absl::InvalidArgumentError("database_url: got text that is no PostgreSQL URL");
  }
  std::map<std::string, std::string> settings = {{"connect_timeout", "10"},
                                                 {"keepalives_idle", "5"},
                                                 {"keepalives_interval", "2"},
                                                 {"keepalives_count", "3"},
                                                 {"tcp_user_timeout", "15000"},
                                                 {"target_session_attrs", "read-write"},
                                                 {"fallback_application_name", "priorityd"}};
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) settings[option->keyword] = option->val;
  }
  if (!application_name.empty()) settings["application_name"] = application_name;
  return JoinConnectionString(std::vector<ConnectionSetting>(settings.begin(), settings.end()));
}

}  // namespace priorityd::storage
