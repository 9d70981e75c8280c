// How every reader of this folder reports what is wrong with a text: a list of
// (file, line, message), carried by one absl::Status.
//
//   ParseErrors errors;
//   errors.Add("slurm.conf", 14, "PriorityFlags: got \"FOO\", want one of ...");
//   return errors.ToStatus();
//
// and at the rim:
//
//   for (const ParseError& error : ParseErrorsOf(status)) {
//     violation->set_field(error.Where());  // "slurm.conf line 14"
//     violation->set_description(error.message);
//   }
#ifndef PRIORITYD_SERVER_SLURM_PARSE_ERRORS_H_
#define PRIORITYD_SERVER_SLURM_PARSE_ERRORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// A text as its owner gave it. Errors and warnings name it by `name`.
struct SourceFile {
  std::string name;
  std::string content;
};

// One fault of a text.
struct ParseError {
  std::string file;
  int line = 0;         // Counts from 1; 0 = the file as a whole.
  std::string message;  // `field: got X, want Y`, without the place.

  // `slurm.conf line 14`, or `slurm.conf` for the file as a whole.
  std::string Where() const;

  friend bool operator==(const ParseError&, const ParseError&) = default;
};

// At most so many errors travel in one status; the rest are counted.
inline constexpr int kMaxParseErrors = 32;

// A message is cut to about so many bytes.
inline constexpr int kMaxMessageBytes = 500;

// Of the warnings of one text at most so many are handed on.
inline constexpr int kMaxWarnings = 100;

// Gathers errors in the order of their discovery. An error that was added
// before (same place, same message) is not added again.
class ParseErrors {
 public:
  // Control characters in the message become `?`.
  void Add(absl::string_view file, int line, absl::string_view message);

  bool empty() const { return total_ == 0; }
  // Of all errors, those that were not kept included.
  int64_t total() const { return total_; }
  // OK when empty. Else INVALID_ARGUMENT whose message is the first error,
  // `slurm.conf line 14: PriorityFlags: got ...`, with ` (and 3 more errors)`
  // after it, and which carries the kept errors for ParseErrorsOf.
  absl::Status ToStatus() const;

 private:
  std::vector<ParseError> errors_;
  int64_t total_ = 0;
};

// The errors that `status` carries, at most kMaxParseErrors; empty when it does
// not come from ParseErrors::ToStatus.
std::vector<ParseError> ParseErrorsOf(const absl::Status& status);

// How many errors there were in all, those not carried included; 0 when it does
// not come from ParseErrors::ToStatus.
int64_t ParseErrorCountOf(const absl::Status& status);

// Leaves at most kMaxWarnings, the last of which then tells how many are missing.
void LimitWarnings(std::vector<std::string>& warnings);

// `text` in double quotes for a message: control characters escaped, cut to
// about 60 bytes at a character's boundary.
std::string Quoted(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_PARSE_ERRORS_H_
