// Reads the lines of a text, with the checks that all readers share.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_LINE_READER_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_LINE_READER_H_

#include "absl/strings/string_view.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// A line without its end.
struct TextLine {
  int number = 0;  // Counts from 1.
  absl::string_view text;
};

// Reads a file line by line. Lines end in LF or CR LF, which the last line may lack; a UTF-8 byte
// order mark at the start is skipped. A line with a NUL byte or invalid UTF-8 is added to
// `violations` and skipped.
class LineReader {
 public:
  // Both must outlive the reader and the lines.
  LineReader(const SourceFile& file, FileViolations& violations);

  // The next line; false at the end.
  bool Next(TextLine& line);

 private:
  const SourceFile& file_;
  FileViolations& violations_;
  absl::string_view rest_;
  int number_ = 0;
};

// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool IsValidUtf8(absl::string_view text);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_LINE_READER_H_
