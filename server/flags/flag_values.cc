#include "server/flags/flag_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace priorityd::flags {
namespace {

constexpr char kHostPort[] = "HOST:PORT with a port from 0 to 65535";

// The socket API would truncate a larger port to 16 bits.
bool IsHostPort(const std::string& listen) {
  const std::string port = listen.substr(listen.rfind(':') + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos;
  return digits && listen.size() > port.size() && std::stoi(port) <= 65535;
}

}  // namespace

std::function<std::string(const std::string&)> WholeNumber(int least, int most, const char* unit) {
  return [range = CLI::Range(least, most), least, most, unit](const std::string& text) {
    if (range(text).empty()) return std::string();
    return absl::StrCat("got ", text, ", want a whole number of ", unit, " from ", least, " to ",
                        most);
  };
}

std::function<std::string(const std::string&)> OneOf(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return absl::StrCat("got ", text, ", want one of ", absl::StrJoin(words, ", "));
  };
}

std::string CheckSwitch(const std::string& text) {
  const CLI::TypeValidator<bool> is_switch;
  return is_switch(text).empty() ? "" : "got " + text + ", want true or false";
}

std::string CheckHttpAddress(const std::string& listen) {
  const bool is_socket = listen.rfind("unix:", 0) == 0;
  return !is_socket && IsHostPort(listen) ? "" : "got " + listen + ", want " + kHostPort;
}

std::string CheckAddress(const std::string& listen) {
  const bool is_socket = listen.rfind("unix:", 0) == 0 && listen.size() > 5;
  if (is_socket || IsHostPort(listen)) return "";
  return "got " + listen + ", want " + kHostPort + ", or unix:PATH";
}

std::string CheckHostName(const std::string& name) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_") == std::string::npos;
  return plain && !name.empty() ? "" : "got " + name + ", want a host's name in lower case";
}

std::string CheckCellName(const std::string& name) {
  const bool plain = name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789.-_") == std::string::npos;
  return plain && !name.empty() ? "" : "got " + name + ", want letters, digits, '.', '_' and '-'";
}

std::string CheckOrigin(const std::string& origin) {
  const bool https = origin.rfind("https://", 0) == 0;
  const bool http = origin.rfind("http://", 0) == 0;
  const std::string host = https || http ? origin.substr(https ? 8 : 7) : "";
  const bool plain =
      host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-:[]_") == std::string::npos;
  if (!host.empty() && plain) return "";
  return "got " + origin + ", want https://HOST or https://HOST:PORT in lower case";
}

std::string ReadMode(const std::string& text, int* mode) {
  const bool octal =
      !text.empty() && text.size() <= 4 && text.find_first_not_of("01234567") == std::string::npos;
  if (octal) *mode = std::stoi(text, nullptr, 8);
  return octal && *mode <= 0777 ? "" : "got " + text + ", want octal digits such as 0660";
}

bool MayHoldPassword(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return absl::StrContains(lower, "database_url") || absl::StrContains(lower, "password") ||
         (absl::StrContains(lower, "://") && absl::StrContains(lower, '@'));
}

}  // namespace priorityd::flags
