// Counts what the bytes of a protobuf message will become, without building anything of them.
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

// How often a field may come: `jobs.jobs`, at most 200,000 times.
struct CountBound {
  std::string path;  // From the message that is scanned.
  int64_t most = 0;
};

// What was counted.
struct Scanned {
  // The fields of the message itself that are counted one by one have smaller numbers.
  static constexpr uint32_t kCountedFields = 64;

  size_t wire_bytes = 0;
  // At least what the message takes once it is parsed onto an arena.
  size_t parsed_bytes = 0;
  // The value of the field `cluster`, or of `cluster.name` where that is a message.
  std::string cluster;
  // How often each field of the message itself came; the elements of a packed one count as one.
  std::array<uint32_t, kCountedFields> counts{};

  bool Has(uint32_t field) const { return counts[field] > 0; }
};

// Of one type of message. Thread-safe once made.
class MessageScan {
 public:
  // Messages within each other, as protobuf's parser has it.
  static constexpr int kMaxDepth = 100;
  static constexpr size_t kMaxClusterBytes = 4096;

  // A bound whose path the type does not have is left out.
  explicit MessageScan(const google::protobuf::Descriptor& type,
                       std::vector<CountBound> bounds = {});

  // `chunks` are the bytes, in their order. Allocates nothing but the name of the cluster.
  // INVALID_ARGUMENT: INVALID_MESSAGE where they are no message at all, or one that is too deep;
  // INVALID_FIELD names a field that comes too often, with `got` and `want`.
  absl::StatusOr<Scanned> Scan(absl::Span<const absl::string_view> chunks) const;

 private:
  const MessageCosts* CostsOf(const google::protobuf::Descriptor& type);
  FieldCost CostOf(const google::protobuf::FieldDescriptor& field);
  void SetBound(const google::protobuf::Descriptor& type, const CountBound& bound);

  std::map<const google::protobuf::Descriptor*, std::unique_ptr<MessageCosts>> costs_;
  std::vector<CountBound> bounds_;
  const MessageCosts* root_ = nullptr;
};

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_MESSAGE_SCAN_H_
