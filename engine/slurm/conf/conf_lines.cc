#include "engine/slurm/conf/conf_lines.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

bool IsKeyCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// Splits a logical line from left to right.
class LineSplitter {
 public:
  LineSplitter(absl::string_view text, const SourceFile& file, absl::Span<const LineStart> starts)
      : text_(text), file_(file), starts_(starts) {}

  ConfLine Split() {
    ConfLine line;
    line.place = Place();
    SkipSpaces();
    while (!AtEnd() && line.violation.empty()) {
      line.violation_place = Place();
      const size_t begin = position_;
      ConfPair pair;
      pair.place = Place();
      if (!ReadKey(pair.key)) {
        line.violation = absl::StrCat("got ", Quoted(WordAt(begin)), ", want key=value");
      } else {
        ReadValue(pair.value);
        line.pairs.push_back(std::move(pair));
        SkipSpaces();
      }
    }
    return line;
  }

 private:
  // A comment ends the line.
  bool AtEnd() const { return position_ == text_.size() || text_[position_] == '#'; }

  void SkipSpaces() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  }

  ConfPlace Place() {
    while (start_ + 1 < starts_.size() && starts_[start_ + 1].offset <= position_) ++start_;
    return {&file_, starts_[start_].line};
  }

  // Up to the next blank.
  absl::string_view WordAt(size_t begin) const {
    const auto end = std::find_if(text_.begin() + begin, text_.end(), IsSpace);
    return text_.substr(begin, end - text_.begin() - begin);
  }

  // The key and the = after it.
  bool ReadKey(std::string& key) {
    const size_t begin = position_;
    while (position_ < text_.size() && IsKeyCharacter(text_[position_])) ++position_;
    key = std::string(text_.substr(begin, position_ - begin));
    SkipSpaces();
    if (AtOperator()) ++position_;
    if (key.empty() || position_ == text_.size() || text_[position_] != '=') return false;
    ++position_;
    SkipSpaces();
    return true;
  }

  bool AtOperator() const {
    return position_ + 1 < text_.size() && text_[position_ + 1] == '=' &&
           absl::StrContains("-+*/", text_.substr(position_, 1));
  }

  // A value in double quotes, else a word.
  void ReadValue(std::string& value) {
    const size_t begin = position_;
    if (!AtEnd() && text_[position_] == '"' && ReadQuoted(value)) return;
    position_ = begin;
    value.clear();
    ReadUntil([](char c) { return IsSpace(c) || c == '#'; }, value);
  }

  // False if there is no closing quote followed by a blank or the end.
  bool ReadQuoted(std::string& value) {
    ++position_;
    ReadUntil([](char c) { return c == '"'; }, value);
    if (position_ == text_.size()) return false;
    ++position_;
    return AtEnd() || IsSpace(text_[position_]);
  }

  template <typename Ends>
  void ReadUntil(Ends ends, std::string& value) {
    while (position_ < text_.size() && !ends(text_[position_])) {
      const char c = text_[position_];
      const bool escape = c == '\\' && position_ + 1 < text_.size();
      value.push_back(escape ? text_[position_ + 1] : c);
      position_ += escape ? 2 : 1;
    }
  }

  absl::string_view text_;
  const SourceFile& file_;
  absl::Span<const LineStart> starts_;
  size_t start_ = 0;
  size_t position_ = 0;
};

}  // namespace

bool IsNull(absl::string_view value) { return value == "(null)"; }

std::string ConfPlace::Where() const { return absl::StrCat(file->name, " line ", line); }

ConfLine SplitConfLine(absl::string_view text, const SourceFile& file,
                       absl::Span<const LineStart> starts) {
  return LineSplitter(text, file, starts).Split();
}

const ConfPair* ConfRecord::Find(absl::string_view lower_key) const {
  const auto found = pairs_.find(std::string(lower_key));
  return found == pairs_.end() ? nullptr : found->second.get();
}

size_t ConfRecord::bytes() const {
  size_t bytes = 0;
  for (const auto& [key, pair] : pairs_) bytes += pair->value.size();
  return bytes;
}

void ConfRecord::Merge(const ConfLine& line, absl::Span<const absl::string_view> lower_keys,
                       std::vector<std::string>& warnings) {
  absl::flat_hash_set<std::string> seen;
  for (const ConfPair& pair : line.pairs) {
    std::string key = absl::AsciiStrToLower(pair.key);
    if (std::find(lower_keys.begin(), lower_keys.end(), key) == lower_keys.end()) continue;
    if (!seen.insert(key).second) {
      warnings.push_back(absl::StrCat(pair.place.Where(), ": ", pair.key,
                                      " occurs twice in the line, the last value is used"));
    }
    if (IsNull(pair.value)) {
      pairs_.erase(key);
    } else {
      pairs_[std::move(key)] = std::make_shared<const ConfPair>(pair);
    }
  }
}

}  // namespace priorityd::slurm
