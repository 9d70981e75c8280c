#include "client/visible_text.h"

#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace priorityd::client {
namespace {

// The first byte of a character that may have to be shown, and how many it has; 0 = none.
size_t LengthOf(char first) {
  switch (static_cast<uint8_t>(first)) {
    case 0xc2:
    case 0xcd:
    case 0xd8:
      return 2;
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xef:
      return 3;
    case 0xf3:
      return 4;
    default:
      return 0;
  }
}

uint32_t CodeOf(const std::string& bytes) {
  const auto low = [&](size_t i) { return static_cast<uint32_t>(bytes[i] & 0x3f); };
  if (bytes.size() == 2) return static_cast<uint32_t>(bytes[0] & 0x1f) << 6 | low(1);
  if (bytes.size() == 3) return static_cast<uint32_t>(bytes[0] & 0x0f) << 12 | low(1) << 6 | low(2);
  return static_cast<uint32_t>(bytes[0] & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3);
}

// Of Unicode's kind Cc beyond ASCII, and those that fonts show nothing for: of Cf, fillers, tags.
bool IsHidden(uint32_t code) {
  return (code >= 0x80 && code <= 0x9f) || code == 0xad || code == 0x61c ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
         (code >= 0xfff9 && code <= 0xfffb) || code == 0x34f || code == 0x115f || code == 0x1160 ||
         code == 0x180e || code == 0x3164 || code == 0xffa0 || (code >= 0xe0000 && code <= 0xe007f);
}

// As JSON has it: two surrogates beyond 16 bits.
std::string Escaped(uint32_t code) {
  if (code < 0x10000) return absl::StrFormat("\\u%04x", code);
  const uint32_t rest = code - 0x10000;
  return absl::StrFormat("\\u%04x\\u%04x", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
}

bool Continues(char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string WithVisibleControls(absl::string_view text) {
  std::string visible;
  for (const char c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != '\n') {
      visible += Escaped(static_cast<unsigned char>(c));
    } else {
      visible += c;
    }
  }
  return visible;
}

VisibleText::~VisibleText() { Put(begun_); }

bool VisibleText::Put(const std::string& bytes) {
  const auto size = static_cast<std::streamsize>(bytes.size());
  return under_->sputn(bytes.data(), size) == size;
}

bool VisibleText::Take(char byte) {
  if (!begun_.empty() && !Continues(byte)) {
    const std::string broken = std::exchange(begun_, "");
    if (!Put(broken)) return false;
  }
  if (begun_.empty() && LengthOf(byte) == 0) return Put(std::string(1, byte));
  begun_ += byte;
  if (begun_.size() < LengthOf(begun_.front())) return true;
  const std::string whole = std::exchange(begun_, "");
  const uint32_t code = CodeOf(whole);
  return Put(IsHidden(code) ? Escaped(code) : whole);
}

VisibleText::int_type VisibleText::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return Take(traits_type::to_char_type(c)) ? c : traits_type::eof();
}

std::streamsize VisibleText::xsputn(const char* text, std::streamsize size) {
  std::streamsize done = 0;
  while (done < size) {
    std::streamsize plain = done;
    while (begun_.empty() && plain < size && LengthOf(text[plain]) == 0) ++plain;
    if (plain > done) {
      const std::streamsize put = under_->sputn(text + done, plain - done);
      done += put;
      if (done < plain) return done;
      continue;
    }
    if (!Take(text[done])) return done;
    ++done;
  }
  return done;
}

int VisibleText::sync() { return under_->pubsync(); }

}  // namespace priorityd::client
