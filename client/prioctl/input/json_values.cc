#include "client/prioctl/input/json_values.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/input/json_field.h"
#include "client/prioctl/input/json_violation.h"

namespace priorityd::prioctl {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// As many objects and lists in each other as Protobuf takes.
constexpr size_t kMaxDepth = 100;

// An object or a list that has not ended.
struct OpenValue {
  const Descriptor* type = nullptr;        // The message of an object; nullptr = unknown, or a map.
  const FieldDescriptor* value = nullptr;  // What each value of a list or a map is one of.
  const FieldDescriptor* field = nullptr;  // The last field of `type`.
  bool is_list = false;
  size_t elements = 0;                    // Of a list.
  std::string name;                       // The last field or key.
  absl::flat_hash_set<std::string> seen;  // Names of fields as the proto has them, or keys.
};

// google.protobuf.Value and NullValue have null as a value.
bool HasNull(const FieldDescriptor& value) {
  if (value.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    return value.enum_type()->full_name() == "google.protobuf.NullValue";
  }
  return value.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         value.message_type()->full_name() == "google.protobuf.Value";
}

// Reads the events of nlohmann's parser; stops at the first value that would be lost.
class LostValueSearch : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit LostValueSearch(const Descriptor& type) : type_(type) {}

  bool null() override {
    Count();
    const FieldDescriptor* value = open_.empty() ? nullptr : open_.back().value;
    if (value == nullptr || HasNull(*value)) return true;
    return Found(absl::StrCat("got null, want ", WantedValue(*value)));
  }
  bool boolean(bool) override { return Count(); }
  bool number_integer(number_integer_t) override { return Count(); }
  bool number_unsigned(number_unsigned_t) override { return Count(); }
  bool number_float(number_float_t, const string_t&) override { return Count(); }
  bool string(string_t&) override { return Count(); }
  bool binary(binary_t&) override { return Count(); }
  bool start_object(size_t) override { return Begin(/*is_list=*/false); }
  bool start_array(size_t) override { return Begin(/*is_list=*/true); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool key(string_t& name) override {
    OpenValue& object = open_.back();
    object.name = name;
    object.field = object.type != nullptr ? FindField(*object.type, name) : nullptr;
    const bool is_first =
        object.seen.insert(object.field != nullptr ? object.field->name() : name).second;
    return is_first || Found("got it twice, want it once");
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  const std::string& found() const { return found_; }

 private:
  bool Count() {
    if (!open_.empty()) ++open_.back().elements;
    return true;
  }
  bool End() {
    open_.pop_back();
    return true;
  }

  bool Begin(bool is_list) {
    Count();
    if (open_.size() == kMaxDepth) return false;
    open_.push_back(Below(is_list));
    return true;
  }

  // In the present object or list.
  OpenValue Below(bool is_list) const {
    OpenValue below;
    below.is_list = is_list;
    const OpenValue* above = open_.empty() ? nullptr : &open_.back();
    const FieldDescriptor* field = above == nullptr ? nullptr : above->field;
    if (is_list) {
      if (field != nullptr && field->is_repeated() && !field->is_map()) below.value = field;
    } else if (field != nullptr && field->is_map()) {
      below.value = field->message_type()->map_value();
    } else if (above == nullptr) {
      below.type = &type_;
    } else if (above->value != nullptr || field != nullptr) {
      below.type = (above->value != nullptr ? above->value : field)->message_type();
    }
    return below;
  }

  bool Found(absl::string_view what) {
    std::string path;
    for (const OpenValue& open : open_) {
      if (open.is_list) {
        absl::StrAppend(&path, "[", open.elements - 1, "]");
      } else if (open.value != nullptr) {
        absl::StrAppend(&path, "[\"", absl::Utf8SafeCHexEscape(open.name), "\"]");
      } else {
        absl::StrAppend(&path, path.empty() ? "" : ".", absl::Utf8SafeCHexEscape(open.name));
      }
    }
    found_ = absl::StrCat(path, ": ", what);
    return false;
  }

  const Descriptor& type_;
  std::vector<OpenValue> open_;
  std::string found_;
};

}  // namespace

std::optional<std::string> LostValue(absl::string_view json, const Descriptor& type) {
  LostValueSearch search(type);
  const bool is_json = nlohmann::json::sax_parse(json.begin(), json.end(), &search);
  if (!is_json && search.found().empty()) return std::nullopt;
  return search.found();
}

}  // namespace priorityd::prioctl
