#include "client/prioctl/input/input_file.h"

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/input/free_text.h"

namespace priorityd::prioctl {
namespace {

constexpr size_t kMostBytes = size_t{2} << 30;
constexpr size_t kPieceBytes = size_t{1} << 20;

// The length of a UTF-8 character and the range of its second byte, by its first byte.
struct Lead {
  size_t length;  // 0 = no character begins so.
  // The range of its second byte, narrow where a shorter form or a surrogate is next.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Lead LeadOf(unsigned char byte) {
  if (byte == 0) return {0};
  if (byte < 0x80) return {1};
  if (byte < 0xC2 || byte > 0xF4) return {0};
  if (byte < 0xE0) return {2};
  if (byte < 0xF0) {
    return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
          static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
}

// The length of the character that the text begins with; 0 = it begins with none.
size_t CharacterLength(absl::string_view text) {
  const Lead lead = LeadOf(text[0]);
  if (lead.length > text.size()) return 0;
  for (size_t i = 1; i < lead.length; ++i) {
    const unsigned char byte = text[i];
    if (byte < (i == 1 ? lead.low : 0x80) || byte > (i == 1 ? lead.high : 0xBF)) return 0;
  }
  return lead.length;
}

// Up to the end, or to the first piece that is no text.
absl::StatusOr<std::string> ReadContent(InputFile& file) {
  std::string content;
  std::vector<char> piece(kPieceBytes);
  std::istream& stream = file.stream();
  while (stream.good()) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const absl::string_view read(piece.data(), static_cast<size_t>(stream.gcount()));
    absl::StrAppend(&content, read);
    if (absl::StrContains(read, '\0')) break;
    if (content.size() > kMostBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.name(), ": got more than ", kMostBytes >> 20, " MiB, want less"));
    }
  }
  if (stream.bad()) return absl::DataLossError(absl::StrCat(file.name(), ": cannot be read"));
  return content;
}

absl::Status CheckText(const std::string& name, absl::string_view content) {
  int64_t line = 1;
  for (size_t at = 0; at < content.size();) {
    const size_t length = CharacterLength(content.substr(at));
    if (length == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " line ", line, ": got the byte 0x",
                       absl::Hex(static_cast<unsigned char>(content[at]), absl::kZeroPad2),
                       ", want UTF-8 text"));
    }
    if (content[at] == '\n') ++line;
    at += length;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  InputFile input;
  input.name_ = path;
  if (path == "-") {
    input.name_ = "standard input";
    return input;
  }
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory, want a file"));
  }
  if (std::filesystem::is_regular_file(status)) {
    input.size_ = static_cast<int64_t>(std::filesystem::file_size(path, error));
  }
  errno = 0;
  input.file_.open(path, std::ios::binary);
  if (!input.file_) return absl::ErrnoToStatus(errno, path);
  return input;
}

std::istream& InputFile::stream() { return file_.is_open() ? file_ : std::cin; }

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> content = ReadContent(*file);
  if (!content.ok()) return content.status();
  if (absl::Status text = CheckText(file->name(), *content); !text.ok()) return text;
  return content;
}

absl::StatusOr<std::string> ReadSlurmFile(const std::string& path) {
  absl::StatusOr<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> content = ReadContent(*file);
  if (!content.ok()) return content.status();
  std::string text = WithFreeTextAsUtf8(*std::move(content));
  if (absl::Status s = CheckText(file->name(), text); !s.ok()) return s;
  return text;
}

}  // namespace priorityd::prioctl
