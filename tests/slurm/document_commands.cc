#include "tests/slurm/document_commands.h"

#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace priorityd {
namespace {

OurCommand Command(const std::string& site, absl::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits(" < ", 1));
  const std::string in = parts.size() > 1 ? parts[1] + "\n" : "";
  return {site, parts[0], absl::StrReplaceAll(in, {{"\\n", "\n"}}), {}};
}

void Add(absl::string_view line, std::string* site, DocumentCommand& record) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::StripAsciiWhitespace(line), absl::MaxSplits(' ', 1));
  const std::string& word = parts[0];
  const std::string text(absl::StripAsciiWhitespace(parts.size() > 1 ? parts[1] : ""));
  if (word == "typed") {
    record.typed = text;
  } else if (word == "not") {  // not ours REASON
    record.not_ours = text;
  } else if (word == "site") {
    *site = text;
  } else if (word == "here") {
    record.here.push_back(Command(*site, text));
  } else if (!record.here.empty()) {
    record.here.back().checks.push_back({word, text});
  } else {
    ADD_FAILURE() << line;
  }
}

}  // namespace

std::vector<DocumentCommand> ReadDocumentCommands() {
  std::vector<DocumentCommand> records;
  std::string site;
  std::ifstream file("tests/slurm/document_commands.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      records.push_back({.document = line, .typed = {}, .here = {}, .not_ours = {}});
      site = "lab";
    } else {
      Add(line, &site, records.back());
    }
  }
  return records;
}

}  // namespace priorityd
