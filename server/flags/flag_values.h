// Checks of the value of one flag. Each returns the reason, `got X, want Y`, or nothing.
#ifndef PRIORITYD_SERVER_FLAGS_FLAG_VALUES_H_
#define PRIORITYD_SERVER_FLAGS_FLAG_VALUES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::flags {

// The check of a number from `least` to `most`; `unit` is a plural, such as seconds.
std::function<std::string(const std::string&)> WholeNumber(int least, int most, const char* unit);

// The check of a word.
std::function<std::string(const std::string&)> OneOf(std::vector<std::string> words);

// The value that a file gives to a flag without one.
std::string CheckSwitch(const std::string& text);

// HOST:PORT.
std::string CheckHttpAddress(const std::string& listen);

// HOST:PORT or unix:PATH.
std::string CheckAddress(const std::string& listen);

// A name without a port; browsers add the port.
std::string CheckHostName(const std::string& name);

// A cell is named in headers and in the map of a load balancer.
std::string CheckCellName(const std::string& name);

// An origin as browsers send it.
std::string CheckOrigin(const std::string& origin);

// Reads the mode of a file in octal digits, as chmod takes it.
std::string ReadMode(const std::string& text, int* mode);

// Whether the text has a connection string of PostgreSQL with a password, or may have: such text is
// never printed. True for a URL with an @, for `password` and for the flag database_url.
bool MayHoldPassword(absl::string_view text);

}  // namespace priorityd::flags

#endif  // PRIORITYD_SERVER_FLAGS_FLAG_VALUES_H_
