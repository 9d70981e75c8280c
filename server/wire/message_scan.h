// Measures the parsed size of an encoded protobuf message without building it.
#ifndef PRIORITYD_SERVER_WIRE_MESSAGE_SCAN_H_
#define PRIORITYD_SERVER_WIRE_MESSAGE_SCAN_H_

#include <google/protobuf/descriptor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/wire/message_costs.h"

namespace priorityd::wire {

// A bound on the occurrences of a field: `jobs.jobs`, at most 200,000 times.
struct CountBound {
  std::string path;  // From the scanned message.
  int64_t most = 0;
};

// A text that becomes far larger once it is read: memory of `times` its bytes beside the message.
struct TextCost {
  std::string path;  // From the scanned message.
  uint32_t times = 0;
};

// The result of a scan.
struct Scanned {
  // Top-level fields with smaller numbers are counted one by one.
  static constexpr uint32_t kCountedFields = 64;

  size_t wire_bytes = 0;
  // An upper bound of the message's size when parsed onto an arena.
  size_t parsed_bytes = 0;
  // An upper bound of the memory that its texts become; see TextCost.
  size_t text_bytes = 0;
  // The value of the field `cluster`, or of `cluster.name` if that is a message.
  std::string cluster;
  // Occurrences of each top-level field; the elements of a packed field count as one.
  std::array<uint32_t, kCountedFields> counts{};

  bool Has(uint32_t field) const { return counts[field] > 0; }
};

// A scanner for one type of message. Thread-safe after construction.
class MessageScan {
 public:
  // Maximum nesting depth, as in protobuf's parser.
  static constexpr int kMaxDepth = 100;
  static constexpr size_t kMaxClusterBytes = 4096;

  // Bounds and costs with paths unknown to the type are ignored.
  explicit MessageScan(const google::protobuf::Descriptor& type,
                       std::vector<CountBound> bounds = {},
                       const std::vector<TextCost>& texts = {});

  // `chunks`: the bytes in order. Allocates only the name of the cluster. INVALID_ARGUMENT:
  // INVALID_MESSAGE if they are no message or too deeply nested; INVALID_FIELD names a field with
  // too many occurrences, with `got` and `want`.
  absl::StatusOr<Scanned> Scan(absl::Span<const absl::string_view> chunks) const;

 private:
  const MessageCosts* CostsOf(const google::protobuf::Descriptor& type);
  FieldCost CostOf(const google::protobuf::FieldDescriptor& field);
  void SetBound(const google::protobuf::Descriptor& type, const CountBound& bound);
  void SetCost(const google::protobuf::Descriptor& type, const TextCost& text);

  std::map<const google::protobuf::Descriptor*, std::unique_ptr<MessageCosts>> costs_;
  std::vector<CountBound> bounds_;
  const MessageCosts* root_ = nullptr;
};

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_MESSAGE_SCAN_H_
