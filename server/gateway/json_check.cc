#include "server/gateway/json_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/gateway/json_fault.h"

namespace priorityd::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMostQuotedKey = 80;

// An object or a list that has not ended.
struct JsonLevel {
  const Descriptor* type = nullptr;        // The message of an object; nullptr = unknown, or a map.
  const Descriptor* inner = nullptr;       // The messages in a list or a map.
  const FieldDescriptor* field = nullptr;  // The last field of `type`.
  const FieldDescriptor* value = nullptr;  // What each value of a list or a map is one of.
  bool is_list = false;
  bool is_map = false;
  size_t elements = 0;                    // Of a list.
  std::string key;                        // The last one of a map.
  std::vector<bool> fields;               // Those of `type` that have begun, by index.
  absl::flat_hash_set<std::string> keys;  // Those of a map that have begun.
};

std::string PathOfLevels(const std::vector<JsonLevel>& levels) {
  std::string path;
  for (const JsonLevel& level : levels) {
    if (level.is_list) absl::StrAppend(&path, "[", level.elements - 1, "]");
    if (level.is_map) {
      absl::StrAppend(&path, "[\"", Printable(level.key.substr(0, kMostQuotedKey)), "\"]");
    }
    if (level.field != nullptr) {
      absl::StrAppend(&path, path.empty() ? "" : ".", level.field->name());
    }
  }
  return Printable(path);
}

// google.protobuf.Value and NullValue have null as a value; nullptr = unknown.
bool TakesNull(const FieldDescriptor* value) {
  if (value == nullptr) return true;
  if (value->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    return value->enum_type()->full_name() == "google.protobuf.NullValue";
  }
  return value->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         value->message_type()->full_name() == "google.protobuf.Value";
}

// Reads the events of nlohmann's parser, and stops at the first fault; keeps only names.
class JsonCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonCheck(const Descriptor& type) : type_(type) {}

  bool null() override {
    Value();
    const FieldDescriptor* value = ValueHere();
    return TakesNull(value) || Unfit("null", *value);
  }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t) override { return Value(); }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }
  bool start_object(size_t) override { return Begin(/*is_list=*/false); }
  bool start_array(size_t) override { return Begin(/*is_list=*/true); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool key(string_t& name) override {
    return levels_.back().is_map ? Key(std::move(name)) : Field(name);
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position_ = std::max<size_t>(at, 1);
    return false;
  }

  // In bytes, from 1; 0 = this is JSON as far as it was read.
  size_t position() const { return position_; }
  // The first field that is wrong, and why; empty = none.
  const std::string& field() const { return field_; }
  const std::string& what() const { return what_; }

 private:
  bool Value() {
    if (!levels_.empty()) ++levels_.back().elements;
    return true;
  }
  bool End() {
    levels_.pop_back();
    return true;
  }
  bool Wrong(std::string what) {
    field_ = PathOfLevels(levels_);
    what_ = std::move(what);
    return false;
  }
  bool Twice() { return Wrong("got it twice, want it once"); }
  bool Unfit(const char* got, const FieldDescriptor& value) {
    return Wrong(absl::StrCat("got ", got, ", want ", WantedBy(value)));
  }

  // Of the present list or map; nullptr = neither, or unknown.
  const FieldDescriptor* ValueHere() const {
    return levels_.empty() ? nullptr : levels_.back().value;
  }

  bool Begin(bool is_list) {
    Value();
    const FieldDescriptor* value = ValueHere();
    if (value != nullptr && value->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      return Unfit(is_list ? "a list" : "an object", *value);
    }
    if (levels_.size() == kMaxJsonDepth) {
      field_ = "body";
      what_ = absl::StrCat("want at most ", kMaxJsonDepth, " objects and lists in each other");
      return false;
    }
    levels_.push_back(LevelBelow(is_list));
    return true;
  }

  // In the present level.
  JsonLevel LevelBelow(bool is_list) const {
    JsonLevel below;
    below.is_list = is_list;
    const FieldDescriptor* field = levels_.empty() ? nullptr : levels_.back().field;
    const Descriptor* type = levels_.empty() ? &type_ : levels_.back().inner;
    if (field != nullptr) type = field->message_type();
    below.is_map = !is_list && field != nullptr && field->is_map();
    if (below.is_map) {
      below.value = type->map_value();
      below.inner = below.value->message_type();
    } else if (is_list) {
      if (field != nullptr && field->is_repeated() && !field->is_map()) below.value = field;
      below.inner = type;
    } else if (type != nullptr) {
      below.type = type;
      below.fields.resize(static_cast<size_t>(type->field_count()));
    }
    return below;
  }

  bool Key(std::string&& name) {
    JsonLevel& level = levels_.back();
    const bool is_first = level.keys.insert(name).second;
    level.key = std::move(name);
    return is_first || Twice();
  }

  bool Field(const std::string& name) {
    JsonLevel& level = levels_.back();
    level.field = level.type != nullptr ? FindField(*level.type, name) : nullptr;
    if (level.field == nullptr) return true;
    const auto index = static_cast<size_t>(level.field->index());
    if (level.fields[index]) return Twice();
    level.fields[index] = true;
    return true;
  }

  const Descriptor& type_;
  std::vector<JsonLevel> levels_;
  size_t position_ = 0;
  std::string field_;
  std::string what_;
};

// `line 3, column 14`.
std::string LineAndColumn(absl::string_view json, size_t position) {
  const absl::string_view before = json.substr(0, std::min(position, json.size() + 1) - 1);
  const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t begin = before.rfind('\n') == absl::string_view::npos ? 0 : before.rfind('\n') + 1;
  return absl::StrCat("line ", line, ", column ", before.size() - begin + 1);
}

}  // namespace

const FieldDescriptor* FindField(const Descriptor& type, const std::string& name) {
  const FieldDescriptor* field = type.FindFieldByName(name);
  return field != nullptr ? field : type.FindFieldByCamelcaseName(name);
}

absl::Status CheckJson(absl::string_view json, const Descriptor& type) {
  JsonCheck check(type);
  if (nlohmann::json::sax_parse(json.begin(), json.end(), &check)) return absl::OkStatus();
  if (check.position() == 0) {
    return errors::BadRequestError("INVALID_JSON_FIELD", {{check.field(), check.what()}});
  }
  return errors::BadRequestError(
      "MALFORMED_JSON",
      {{"body", absl::StrCat(LineAndColumn(json, check.position()), ": want JSON")}});
}

}  // namespace priorityd::gateway
