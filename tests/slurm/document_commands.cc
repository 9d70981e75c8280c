#include "tests/slurm/document_commands.h"

#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd {
namespace {

OurCommand Command(absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(" < ", 1));
  return {.command = parts[0], .in = parts.size() > 1 ? parts[1] + "\n" : "", .prints = {}};
}

void Add(absl::string_view line, DocumentCommand& record) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (absl::ConsumePrefix(&line, "typed ")) {
    record.typed = std::string(absl::StripAsciiWhitespace(line));
  } else if (absl::ConsumePrefix(&line, "not ours ")) {
    record.not_ours = std::string(absl::StripAsciiWhitespace(line));
  } else if (absl::ConsumePrefix(&line, "here ")) {
    record.here.push_back(Command(absl::StripAsciiWhitespace(line)));
  } else if (absl::ConsumePrefix(&line, "prints ")) {
    record.here.back().prints.emplace_back(absl::StripAsciiWhitespace(line));
  } else {
    ADD_FAILURE() << line;
  }
}

}  // namespace

std::vector<DocumentCommand> ReadDocumentCommands() {
  std::vector<DocumentCommand> records;
  std::ifstream file("tests/slurm/document_commands.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      records.push_back({.document = line, .typed = {}, .here = {}, .not_ours = {}});
    } else {
      Add(line, records.back());
    }
  }
  return records;
}

}  // namespace priorityd
