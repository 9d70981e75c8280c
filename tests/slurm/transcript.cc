#include "tests/slurm/transcript.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd {
namespace {

TranscriptEntry Begun(absl::string_view command) {
  TranscriptEntry entry;
  const size_t colon = command.find(": ");
  if (colon < command.find(' ')) {
    entry.user = std::string(command.substr(0, colon));
    command.remove_prefix(colon + 2);
  }
  entry.command = std::string(command);
  return entry;
}

std::string Unpacked(const std::string& path) {
  std::string text;
  FILE* pipe = popen(absl::StrCat("gzip -dc ", path).c_str(), "r");
  char buffer[65536];
  for (size_t got; pipe != nullptr && (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, got);
  }
  EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << path;
  return text;
}

}  // namespace

std::string ReadCaptured(const std::string& name) {
  const std::string path = "tests/slurm/captured/" + name;
  if (absl::EndsWith(name, ".gz")) return Unpacked(path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<TranscriptEntry> ReadTranscript(const std::string& name) {
  std::vector<TranscriptEntry> entries;
  const std::string text = ReadCaptured(name);
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "$ ")) {
      entries.push_back(Begun(rest));
    } else if (absl::ConsumePrefix(&rest, "2> ")) {
      absl::StrAppend(&entries.back().err, rest, "\n");
    } else if (absl::ConsumePrefix(&rest, "< ")) {
      entries.back().typed = absl::StrCat(rest, "\n");
    } else if (absl::ConsumePrefix(&rest, "= ")) {
      entries.back().status = std::stoi(std::string(rest));
    } else {
      absl::StrAppend(&entries.back().out, line, "\n");
    }
  }
  return entries;
}

std::vector<std::string> CommandWords(const std::string& command) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (const char c : command) {
    if (quote == 0 && c == ' ') {
      inside = false;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      if (!inside) words.emplace_back();
      inside = true;
      quote = c;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  return words;
}

}  // namespace priorityd
