// Text with its hidden characters made visible for a terminal.
#ifndef PRIORITYD_CLIENT_VISIBLE_TEXT_H_
#define PRIORITYD_CLIENT_VISIBLE_TEXT_H_

#include <streambuf>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::client {

// The text with its ASCII control characters other than newlines written as `\u001b`. For errors,
// which name what others wrote.
std::string WithVisibleControls(absl::string_view text);

// Passes UTF-8 on to another buffer, which must outlive it, and writes characters that turn text
// around (U+202E), join or hide it, or command a terminal (U+0080 to U+009F) as `\u202e`: in JSON
// that is the same character. ASCII, with its control characters, passes. Not thread-safe.
class VisibleText : public std::streambuf {
 public:
  explicit VisibleText(std::streambuf* under) : under_(under) {}
  // Passes on the beginning of a character that has not become whole.
  ~VisibleText() override;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool Put(const std::string& bytes);
  bool Take(char byte);

  std::streambuf* const under_;
  std::string begun_;  // Of a character that may be one of these.
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_VISIBLE_TEXT_H_
