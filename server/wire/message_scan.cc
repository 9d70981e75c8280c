#include "server/wire/message_scan.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "engine/errors/violations.h"
#include "server/wire/chunk_reader.h"

namespace priorityd::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxBounds = 16;

absl::Status Malformed(absl::string_view what) {
  return errors::WithReason(absl::InvalidArgumentError(absl::StrCat("the message: got ", what)),
                            "INVALID_MESSAGE");
}

size_t ObjectBytes(const Descriptor& type) {
  if (type.options().map_entry()) return 0;
  const auto* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
  return prototype->SpaceUsedLong();
}

WireType WireTypeOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return WireType::kFixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return WireType::kFixed32;
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return WireType::kLength;
    case FieldDescriptor::TYPE_GROUP:
      return WireType::kBeginGroup;
    default:
      return WireType::kVarint;
  }
}

// A list of numbers grows by doubling, as a list of pointers does.
uint32_t ScalarBytes(const FieldDescriptor& field) { return field.is_repeated() ? kPlaceBytes : 0; }

const FieldDescriptor* FieldAt(const Descriptor& type, absl::string_view path) {
  const Descriptor* in = &type;
  const FieldDescriptor* field = nullptr;
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    if (in == nullptr) return nullptr;
    field = in->FindFieldByName({name.data(), name.size()});
    if (field == nullptr) return nullptr;
    in = field->message_type();
  }
  return field;
}

constexpr char kTruncated[] = "a field that ends too early";
constexpr char kTooDeep[] = "messages that are too deep within each other";

// One scan: a walk with a stack of the enclosing messages.
class Walk {
 public:
  Walk(absl::Span<const absl::string_view> chunks, const MessageCosts& root) : reader_(chunks) {
    Enter(root, reader_.size(), 0, false);
    scanned_.wire_bytes = reader_.size();
  }

  // The error; null = none.
  const char* Run() {
    while (depth_ > 0) {
      const Frame& frame = frames_[depth_ - 1];
      if (reader_.at() < frame.end) {
        if (const char* fault = Field(); fault != nullptr) return fault;
      } else if (frame.group != 0) {
        return "a group without an end";
      } else {
        --depth_;
      }
    }
    return nullptr;
  }

  Scanned Take() { return std::move(scanned_); }
  int64_t count(size_t bound) const { return bounded_[bound]; }

 private:
  struct Frame {
    const MessageCosts* costs;
    uint64_t end;
    uint32_t group;  // The number of the group; 0 = not a group.
    bool names_cluster;
  };

  bool Enter(const MessageCosts& costs, uint64_t end, uint32_t group, bool names_cluster) {
    if (depth_ > MessageScan::kMaxDepth) return false;
    frames_[depth_++] = {&costs, end, group, names_cluster};
    scanned_.parsed_bytes += costs.object_bytes;
    return true;
  }

  const char* Field() {
    const Frame& frame = frames_[depth_ - 1];
    uint64_t tag = 0;
    if (!reader_.Varint(frame.end, &tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return "a field without a number";
    const uint32_t number = static_cast<uint32_t>(tag >> 3);
    const auto type = static_cast<WireType>(tag & 7);
    const FieldCost& field = frame.costs->Find(number);
    if (depth_ == 1 && number < Scanned::kCountedFields) ++scanned_.counts[number];
    if (field.bound >= 0) ++bounded_[field.bound];
    switch (type) {
      case WireType::kVarint: {
        uint64_t ignored = 0;
        if (!reader_.Varint(frame.end, &ignored)) return kTruncated;
        break;
      }
      case WireType::kFixed64:
        if (!reader_.Skip(frame.end, 8)) return kTruncated;
        break;
      case WireType::kFixed32:
        if (!reader_.Skip(frame.end, 4)) return kTruncated;
        break;
      case WireType::kLength:
        return Length(frame, number, field);
      case WireType::kBeginGroup:
        return BeginGroup(frame.end, number);
      case WireType::kEndGroup:
        if (frame.group != number) return "an end of a group that was not begun";
        --depth_;
        return nullptr;
      default:
        return "a field of no type";
    }
    const bool known = field.kind == FieldCost::Kind::kScalar && field.wire_type == type;
    scanned_.parsed_bytes += known ? field.bytes : kUnknownBytes;
    return nullptr;
  }

  const char* BeginGroup(uint64_t end, uint32_t number) {
    static const MessageCosts* const kNothing = new MessageCosts{.object_bytes = kUnknownBytes};
    if (!Enter(*kNothing, end, number, false)) return kTooDeep;
    return nullptr;
  }

  const char* Length(const Frame& frame, uint32_t number, const FieldCost& field) {
    uint64_t length = 0;
    if (!reader_.Varint(frame.end, &length) || length > frame.end - reader_.at()) return kTruncated;
    const uint64_t end = reader_.at() + length;
    switch (field.kind) {
      case FieldCost::Kind::kMessage:
        scanned_.parsed_bytes += field.bytes;
        if (!Enter(*field.message, end, 0, field.role == FieldCost::Role::kClusterMessage))
          return kTooDeep;
        return nullptr;
      case FieldCost::Kind::kText:
        scanned_.parsed_bytes += field.bytes + (length > kShortText ? length + kHeapBytes : 0);
        scanned_.text_bytes += field.times * length;
        if (field.role == FieldCost::Role::kCluster ||
            (frame.names_cluster && number == frame.costs->name_field)) {
          return Cluster(length);
        }
        break;
      case FieldCost::Kind::kScalar:
        if (field.repeated) return Packed(field, end);
        scanned_.parsed_bytes += kUnknownBytes + length;
        break;
      case FieldCost::Kind::kUnknown:
        scanned_.parsed_bytes += kUnknownBytes + length;
        break;
    }
    if (!reader_.Skip(end, length)) return kTruncated;
    return nullptr;
  }

  const char* Cluster(uint64_t length) {
    if (length > MessageScan::kMaxClusterBytes) return "a cluster with too long a name";
    scanned_.cluster.clear();
    reader_.Append(length, &scanned_.cluster);
    return nullptr;
  }

  const char* Packed(const FieldCost& field, uint64_t end) {
    uint64_t elements = (end - reader_.at()) / (field.wire_type == WireType::kFixed64 ? 8 : 4);
    if (field.wire_type != WireType::kVarint) {
      reader_.Skip(end, end - reader_.at());
    } else {
      elements = reader_.SkipVarints(end);
    }
    scanned_.parsed_bytes += elements * field.bytes;
    return nullptr;
  }

  ChunkReader reader_;
  Scanned scanned_;
  std::array<int64_t, kMaxBounds> bounded_{};
  std::array<Frame, MessageScan::kMaxDepth + 1> frames_;
  int depth_ = 0;
};

}  // namespace

MessageScan::MessageScan(const Descriptor& type, std::vector<CountBound> bounds,
                         const std::vector<TextCost>& texts) {
  root_ = CostsOf(type);
  for (const CountBound& bound : bounds) SetBound(type, bound);
  for (const TextCost& text : texts) SetCost(type, text);
  const FieldDescriptor* cluster = type.FindFieldByName("cluster");
  if (cluster == nullptr) return;
  FieldCost& cost = costs_[&type]->fields[static_cast<size_t>(cluster->number())];
  if (cost.kind == FieldCost::Kind::kText) cost.role = FieldCost::Role::kCluster;
  if (cost.kind != FieldCost::Kind::kMessage) return;
  cost.role = FieldCost::Role::kClusterMessage;
  const FieldDescriptor* name = cluster->message_type()->FindFieldByName("name");
  if (name != nullptr)
    costs_[cluster->message_type()]->name_field = static_cast<uint32_t>(name->number());
}

void MessageScan::SetBound(const Descriptor& type, const CountBound& bound) {
  const FieldDescriptor* field = FieldAt(type, bound.path);
  if (field == nullptr || !field->is_repeated() || bounds_.size() == kMaxBounds) return;
  costs_[field->containing_type()]->fields[static_cast<size_t>(field->number())].bound =
      static_cast<int>(bounds_.size());
  bounds_.push_back(bound);
}

void MessageScan::SetCost(const Descriptor& type, const TextCost& text) {
  const FieldDescriptor* field = FieldAt(type, text.path);
  if (field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) return;
  costs_[field->containing_type()]->fields[static_cast<size_t>(field->number())].times = text.times;
}

const MessageCosts* MessageScan::CostsOf(const Descriptor& type) {
  std::unique_ptr<MessageCosts>& costs = costs_[&type];
  if (costs != nullptr) return costs.get();
  // Registered before its fields, which may have its own type.
  costs = std::make_unique<MessageCosts>();
  MessageCosts* const made = costs.get();
  made->object_bytes = ObjectBytes(type);
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const auto number = static_cast<size_t>(field.number());
    if (made->fields.size() <= number) made->fields.resize(number + 1);
    const FieldCost cost = CostOf(field);
    made->fields[number] = cost;
  }
  return made;
}

FieldCost MessageScan::CostOf(const FieldDescriptor& field) {
  FieldCost cost;
  cost.wire_type = WireTypeOf(field);
  cost.repeated = field.is_repeated();
  const uint32_t place = field.is_repeated() ? kPlaceBytes : 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      cost.kind = FieldCost::Kind::kMessage;
      cost.message = CostsOf(*field.message_type());
      cost.bytes = place;
      if (field.is_map()) {
        const Descriptor& entry = *field.message_type();
        const FieldDescriptor& value = *entry.FindFieldByNumber(2);
        // An entry without a value gets an empty one.
        cost.bytes = kMapEntryBytes;
        if (value.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
          cost.bytes += static_cast<uint32_t>(ObjectBytes(*value.message_type()));
      }
      return cost;
    case FieldDescriptor::CPPTYPE_STRING:
      cost.kind = FieldCost::Kind::kText;
      cost.bytes = kTextBytes + place;
      return cost;
    default:
      cost.kind = FieldCost::Kind::kScalar;
      cost.bytes = ScalarBytes(field);
      return cost;
  }
}

absl::StatusOr<Scanned> MessageScan::Scan(absl::Span<const absl::string_view> chunks) const {
  Walk walk(chunks, *root_);
  if (const char* fault = walk.Run(); fault != nullptr) return Malformed(fault);
  errors::Violations violations("INVALID_FIELD");
  for (size_t i = 0; i < bounds_.size(); ++i) {
    if (walk.count(i) <= bounds_[i].most) continue;
    violations.Add(bounds_[i].path, absl::StrCat("got ", walk.count(i), ", want at most ",
                                                 bounds_[i].most, " a call"));
  }
  if (!violations.empty()) return violations.ToStatus();
  return walk.Take();
}

}  // namespace priorityd::wire
