// JSON Lines: one message in proto JSON per line.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_LINES_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_LINES_H_

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace priorityd::prioctl {

// Reads messages line by line; blank lines are skipped. Errors are
// INVALID_ARGUMENT and name the file, the line, and what is wrong with it:
// `jobs.jsonl line 3: unknown field "foo"`.
class JsonLinesReader {
 public:
  // `name` is what errors call the input. REQUIRES: `input` outlives this.
  JsonLinesReader(std::istream* input, absl::string_view name) : input_(input), name_(name) {}

  // Reads the next message into `message`; false at the end.
  absl::StatusOr<bool> Next(google::protobuf::Message* message);

  // Of the message read last, from 1.
  int64_t line_number() const { return line_number_; }

  // Bytes read so far.
  int64_t bytes_read() const { return bytes_read_; }

 private:
  std::istream* const input_;
  const std::string name_;
  std::string line_;
  int64_t line_number_ = 0;
  int64_t bytes_read_ = 0;
};

// Parses one message; values may be as in ToProtoJson. INVALID_ARGUMENT says what is wrong, without
// a place.
absl::Status ParseJson(absl::string_view json, google::protobuf::Message* message);

// A file may begin with a byte order mark.
absl::string_view WithoutByteOrderMark(absl::string_view line);

// The fault of a line that is no message, by `why`: mostly the file is of another kind.
std::string LineViolation(absl::string_view line, absl::string_view why);

// The message as one line of proto JSON, default values written out.
std::string ToJson(const google::protobuf::Message& message);

// Writes it as a line; OK, for a command that is done with it.
absl::Status PrintJson(const google::protobuf::Message& message, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_LINES_H_
