// The memory costs of a message's fields, by field number.
#ifndef PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_
#define PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorityd::wire {

// Numbered as in the wire format.
enum class WireType : uint8_t { kVarint, kFixed64, kLength, kBeginGroup, kEndGroup, kFixed32 };

struct MessageCosts;

// The costs of protobuf 3.21, on an arena and rounded up.
struct FieldCost {
  enum class Kind : uint8_t { kUnknown, kScalar, kText, kMessage };
  enum class Role : uint8_t { kNone, kCluster, kClusterMessage };

  Kind kind = Kind::kUnknown;
  WireType wire_type = WireType::kVarint;  // Wire type of one element.
  Role role = Role::kNone;
  bool repeated = false;
  uint32_t bytes = 0;                     // Per occurrence or per element.
  const MessageCosts* message = nullptr;  // Of kMessage.
  int bound = -1;                         // Its index among the bounds; -1 = unbounded.
  uint32_t times = 0;                     // See TextCost.
};

struct MessageCosts {
  size_t object_bytes = 0;
  // The number of `name`, if it names the message's cluster.
  uint32_t name_field = 0;
  std::vector<FieldCost> fields;  // By number.

  const FieldCost& Find(uint64_t number) const {
    static constexpr FieldCost kUnknownField{};
    return number < fields.size() ? fields[number] : kUnknownField;
  }
};

// A string has an object and an entry in the arena's list of destructors; a long one has its bytes
// on the heap.
inline constexpr size_t kTextBytes = 56;
inline constexpr size_t kShortText = 15;
inline constexpr size_t kHeapBytes = 32;
// An element of a list, whose array doubles and leaves the smaller arrays in the arena.
inline constexpr size_t kPlaceBytes = 32;
// A node of a map, its bucket, and the message from which it is read.
inline constexpr size_t kMapEntryBytes = 192;
// An unknown field is kept, and so is the set of all unknown fields of a message.
inline constexpr size_t kUnknownBytes = 192;

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_
