// What the fields of a message cost in memory, by their numbers.
#ifndef PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_
#define PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace priorityd::wire {

// As the wire format numbers them.
enum class WireType : uint8_t { kVarint, kFixed64, kLength, kBeginGroup, kEndGroup, kFixed32 };

struct MessageCosts;

// The costs of protobuf 3.21, on an arena and rounded up.
struct FieldCost {
  enum class Kind : uint8_t { kUnknown, kScalar, kText, kMessage };
  enum class Role : uint8_t { kNone, kCluster, kClusterMessage };

  Kind kind = Kind::kUnknown;
  WireType wire_type = WireType::kVarint;  // Of one element.
  Role role = Role::kNone;
  bool repeated = false;
  uint32_t bytes = 0;                     // Each time that it comes, or each element of it.
  const MessageCosts* message = nullptr;  // Of kMessage.
  int bound = -1;                         // Its place among the bounds; -1 = it has none.
};

struct MessageCosts {
  size_t object_bytes = 0;
  // `name`, where it says which cluster is meant by the message.
  uint32_t name_field = 0;
  std::vector<FieldCost> fields;  // By number.

  const FieldCost& Find(uint64_t number) const {
    static constexpr FieldCost kUnknownField{};
    return number < fields.size() ? fields[number] : kUnknownField;
  }
};

// A text has an object and a place in the arena's list of what is to be destroyed; a long one has
// its bytes on the heap.
inline constexpr size_t kTextBytes = 56;
inline constexpr size_t kShortText = 15;
inline constexpr size_t kHeapBytes = 32;
// A place in a list, whose array doubles and leaves the smaller ones in the arena.
inline constexpr size_t kPlaceBytes = 32;
// A node of a map, its bucket, and the message that it is read by.
inline constexpr size_t kMapEntryBytes = 192;
// A field that the type does not have is kept; so is the set of all of one message.
inline constexpr size_t kUnknownBytes = 192;

}  // namespace priorityd::wire

#endif  // PRIORITYD_SERVER_WIRE_MESSAGE_COSTS_H_
