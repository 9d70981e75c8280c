// Reads the wire format from bytes in several pieces.
#ifndef PRIORITYD_SERVER_WIRE_CHUNK_READER_H_
#define PRIORITYD_SERVER_WIRE_CHUNK_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::wire {

// `end`: the position in all bytes where the present message ends, at most the number of bytes.
// After an error, the reader's position is undefined. Thread-compatible.
class ChunkReader {
 public:
  explicit ChunkReader(absl::Span<const absl::string_view> chunks) : chunks_(chunks) {
    for (const absl::string_view chunk : chunks) size_ += chunk.size();
    Open(0);
  }

  uint64_t size() const { return size_; }
  // The number of bytes read.
  uint64_t at() const { return before_ + static_cast<uint64_t>(next_ - begin_); }

  // False if the varint is truncated or has more than ten bytes.
  bool Varint(uint64_t end, uint64_t* value) {
    if (next_ < last_ && *next_ < 0x80 && at() < end) {
      *value = *next_++;
      return true;
    }
    return LongVarint(end, value);
  }

  bool Skip(uint64_t end, uint64_t bytes) {
    if (bytes > end - at()) return false;
    if (bytes <= static_cast<uint64_t>(last_ - next_)) {
      next_ += bytes;
      return true;
    }
    SkipOver(bytes);
    return true;
  }

  // Reads to `end`; returns the number of varints, of which the last may be truncated.
  uint64_t SkipVarints(uint64_t end) {
    uint64_t count = 0;
    for (uint64_t left = end - at(); left > 0;) {
      Fill();
      const uint64_t some = std::min<uint64_t>(left, static_cast<uint64_t>(last_ - next_));
      count += static_cast<uint64_t>(
          std::count_if(next_, next_ + some, [](uint8_t byte) { return byte < 0x80; }));
      next_ += some;
      left -= some;
    }
    return count;
  }

  // REQUIRES: that many bytes are left.
  void Append(uint64_t bytes, std::string* text) {
    while (bytes > 0) {
      Fill();
      const uint64_t some = std::min<uint64_t>(bytes, static_cast<uint64_t>(last_ - next_));
      text->append(reinterpret_cast<const char*>(next_), some);
      next_ += some;
      bytes -= some;
    }
  }

 private:
  static constexpr uint64_t kMaxVarintBytes = 10;

  bool LongVarint(uint64_t end, uint64_t* value) {
    uint64_t result = 0;
    const uint64_t left = end - at();
    const uint64_t most = std::min<uint64_t>(left, kMaxVarintBytes);
    for (uint64_t i = 0; i < most; ++i) {
      const uint8_t byte = Next();
      result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
  }

  void SkipOver(uint64_t bytes) {
    while (bytes > 0) {
      Fill();
      const uint64_t some = std::min<uint64_t>(bytes, static_cast<uint64_t>(last_ - next_));
      next_ += some;
      bytes -= some;
    }
  }

  uint8_t Next() {
    Fill();
    return *next_++;
  }

  // Advances to the next non-empty piece. REQUIRES: there is one.
  void Fill() {
    while (next_ == last_) {
      before_ += chunks_[chunk_].size();
      Open(chunk_ + 1);
    }
  }

  void Open(size_t chunk) {
    chunk_ = chunk;
    const absl::string_view bytes = chunk < chunks_.size() ? chunks_[chunk] : absl::string_view();
    begin_ = next_ = reinterpret_cast<const uint8_t*>(bytes.data());
    last_ = begin_ + bytes.size();
  }

  const absl::Span<const absl::string_view> chunks_;
  uint64_t size_ = 0;
  size_t chunk_ = 0;
  uint64_t before_ = 0;  // Bytes of all previous pieces.
  const uint8_t* begin_ = nullptr;
  const uint8_t* next_ = nullptr;
  const uint8_t* last_ = nullptr;
};

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_CHUNK_READER_H_
