#include "engine/json/fault.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace priorityd::json {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMostShown = 80;

// An object or a list that has not ended.
struct Level {
  const Descriptor* type = nullptr;        // The message of an object; nullptr = unknown, or a map.
  const FieldDescriptor* field = nullptr;  // The last field of `type`.
  const FieldDescriptor* value = nullptr;  // The field of each value of a list or a map.
  bool is_list = false;
  size_t elements = 0;                     // Of a list.
  std::string name;                        // The last field or key.
  std::vector<bool> fields;                // The fields of `type` that have begun, by index.
  absl::flat_hash_set<std::string> names;  // Other fields, or keys, that have begun.
};

// Whole characters of valid UTF-8.
std::string Shown(absl::string_view name) {
  size_t end = std::min(name.size(), kMostShown);
  while (end < name.size() && (name[end] & 0xc0) == 0x80) --end;
  return absl::Utf8SafeCHexEscape(name.substr(0, end));
}

// `line 3, column 14`; `position` in bytes, from 1.
std::string LineAndColumn(absl::string_view json, size_t position) {
  const absl::string_view before = json.substr(0, std::min(position, json.size() + 1) - 1);
  const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t begin = before.rfind('\n') == absl::string_view::npos ? 0 : before.rfind('\n') + 1;
  return absl::StrCat("line ", line, ", column ", before.size() - begin + 1);
}

// Reads the events of nlohmann's parser, and stops at the first fault; keeps only names.
class FaultSearch : public nlohmann::json_sax<nlohmann::json> {
 public:
  FaultSearch(absl::string_view json, const Descriptor& type, const Words& words)
      : json_(json), type_(type), words_(words) {}

  bool null() override {
    Value();
    const FieldDescriptor* value = ValueHere();
    return value == nullptr || Unfit("null", *value);
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
    Level& level = levels_.back();
    level.field = level.type != nullptr ? FindField(*level.type, name) : nullptr;
    level.name = std::move(name);
    return IsFirst(&level) || Wrong(Path(), "got it twice, want it once");
  }
  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    fault_.is_json = false;
    return Wrong("", absl::StrCat(LineAndColumn(json_, std::max<size_t>(at, 1)), ": want JSON"));
  }

  const Fault& fault() const { return fault_; }

 private:
  bool Value() {
    if (!levels_.empty()) ++levels_.back().elements;
    return true;
  }
  bool End() {
    levels_.pop_back();
    return true;
  }
  bool Wrong(std::string path, std::string what) {
    fault_.path = std::move(path);
    fault_.what = std::move(what);
    return false;
  }
  bool Unfit(const char* got, const FieldDescriptor& value) {
    return Wrong(Path(), absl::StrCat("got ", got, ", want ", words_.wanted(value)));
  }

  // Of the present list or map; nullptr = neither, or unknown.
  const FieldDescriptor* ValueHere() const {
    return levels_.empty() ? nullptr : levels_.back().value;
  }

  // Whether the last field or key of the level had not begun before.
  static bool IsFirst(Level* level) {
    if (level->field == nullptr) return level->names.insert(level->name).second;
    const auto index = static_cast<size_t>(level->field->index());
    if (level->fields[index]) return false;
    level->fields[index] = true;
    return true;
  }

  bool Begin(bool is_list) {
    Value();
    const FieldDescriptor* value = ValueHere();
    if (value != nullptr && (is_list || value->message_type() == nullptr)) {
      return Unfit(is_list ? "a list" : "an object", *value);
    }
    if (levels_.size() == kMaxDepth) {
      return Wrong("",
                   absl::StrCat("want at most ", kMaxDepth, " objects and lists in each other"));
    }
    levels_.push_back(is_list ? ListBelow() : ObjectBelow());
    return true;
  }

  // In the present level.
  Level ListBelow() const {
    Level below;
    below.is_list = true;
    const FieldDescriptor* field = levels_.empty() ? nullptr : levels_.back().field;
    if (field != nullptr && field->is_repeated() && !field->is_map()) below.value = field;
    return below;
  }
  Level ObjectBelow() const {
    Level below;
    const FieldDescriptor* field = ValueHere();
    if (field == nullptr && !levels_.empty()) field = levels_.back().field;
    if (field != nullptr && field->is_map()) {
      below.value = field->message_type()->map_value();
      return below;
    }
    below.type = levels_.empty() ? &type_ : field != nullptr ? field->message_type() : nullptr;
    if (below.type != nullptr) below.fields.resize(static_cast<size_t>(below.type->field_count()));
    return below;
  }

  // Of the last value or name.
  std::string Path() const {
    std::string path;
    for (const Level& level : levels_) {
      if (level.is_list) {
        absl::StrAppend(&path, "[", level.elements - 1, "]");
      } else if (level.value != nullptr) {
        absl::StrAppend(&path, "[\"", Shown(level.name), "\"]");
      } else {
        const bool is_of_proto = words_.proto_names && level.field != nullptr;
        absl::StrAppend(&path, path.empty() ? "" : ".",
                        is_of_proto ? level.field->name() : Shown(level.name));
      }
    }
    return path;
  }

  const absl::string_view json_;
  const Descriptor& type_;
  const Words words_;
  std::vector<Level> levels_;
  Fault fault_;
};

}  // namespace

const FieldDescriptor* FindField(const Descriptor& type, const std::string& name) {
  const FieldDescriptor* field = type.FindFieldByName(name);
  return field != nullptr ? field : type.FindFieldByCamelcaseName(name);
}

std::optional<Fault> FaultIn(absl::string_view json, const Descriptor& type, const Words& words) {
  FaultSearch search(json, type, words);
  if (nlohmann::json::sax_parse(json.begin(), json.end(), &search)) return std::nullopt;
  return search.fault();
}

}  // namespace priorityd::json
