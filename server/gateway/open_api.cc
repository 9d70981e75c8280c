#include "server/gateway/open_api.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/gateway/embedded_files.h"
#include "server/gateway/methods.h"
#include "version.h"

namespace priorityd::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using Json = nlohmann::ordered_json;

const std::map<std::string, Json>& WellKnownSchemas() {
  static const auto* const kSchemas = new std::map<std::string, Json>{
      {"google.protobuf.Timestamp", {{"type", "string"}, {"format", "date-time"}}},
      {"google.protobuf.Duration",
       {{"type", "string"}, {"pattern", R"(^-?[0-9]+(\.[0-9]{1,9})?s$)"}, {"example", "3600s"}}},
      {"google.protobuf.FieldMask", {{"type", "string"}, {"example", "nice,timeLimit"}}},
      {"google.protobuf.Any",
       {{"type", "object"}, {"properties", {{"@type", {{"type", "string"}}}}}}},
  };
  return *kSchemas;
}

// Reads descriptors, and keeps the schemas of what they name.
class Writer {
 public:
  explicit Writer(const DescriptorPool& pool) : pool_(pool) {
    for (const auto& [path, method] : Methods()) AddSent(InputOf(method));
  }

  Json Write() {
    Json paths = Json::object();
    for (const auto& [path, method] : Methods()) {
      if (method.descriptor->client_streaming()) continue;
      paths[path] = Path(method);
    }
    const Json error =
        Response("application/json", pool_.FindMessageTypeByName("google.rpc.Status"),
                 "An error; its details say more.");
    Json document = {
        {"openapi", "3.0.3"},
        {"info",
         {{"title", "priorityd"}, {"version", kVersion}, {"license", {{"name", "see LICENSE"}}}}},
        {"servers", Json::array({{{"url", "."}}})},
        {"security",
         Json::array({Json::object(), {{"bearer", Json::array()}}, {{"slurm", Json::array()}}})},
        {"paths", std::move(paths)}};
    document["components"]["responses"]["Error"] = error;
    document["components"]["schemas"] = Schemas();
    document["components"]["securitySchemes"] = {
        {"bearer", {{"type", "http"}, {"scheme", "bearer"}}},
        {"slurm", {{"type", "apiKey"}, {"in", "header"}, {"name", "X-Slurm-User-Token"}}}};
    return document;
  }

 private:
  const Descriptor& InputOf(const Method& method) const {
    return *pool_.FindMessageTypeByName(method.descriptor->input_type()->full_name());
  }

  void AddSent(const Descriptor& message) {
    if (!sent_.insert(&message).second) return;
    for (int i = 0; i < message.field_count(); ++i) {
      const Descriptor* part = message.field(i)->message_type();
      if (part != nullptr) AddSent(*part);
    }
  }

  template <typename Described>
  static std::string CommentOf(const Described& described) {
    google::protobuf::SourceLocation location;
    if (!described.GetSourceLocation(&location)) return "";
    const std::string comment = absl::StrReplaceAll(location.leading_comments, {{"\n ", "\n"}});
    return std::string(absl::StripAsciiWhitespace(comment));
  }

  static Json Reference(const std::string& name) {
    return {{"$ref", absl::StrCat("#/components/schemas/", name)}};
  }

  Json Response(const char* type, const Descriptor* message, const std::string& description) {
    return {{"description", description}, {"content", {{type, {{"schema", SchemaOf(*message)}}}}}};
  }

  Json Operation(const Method& method, const char* verb) {
    const MethodDescriptor& described = *pool_.FindMethodByName(method.descriptor->full_name());
    const char* answers = described.server_streaming() ? "text/event-stream" : "application/json";
    const std::string name = absl::StrCat(described.service()->name(), "_", described.name());
    return {
        {"operationId", absl::StrCat(verb, name)},
        {"tags", Json::array({described.service()->name()})},
        {"description", CommentOf(described)},
        {"responses",
         {{"200", Response(answers, described.output_type(), CommentOf(*described.output_type()))},
          {"default", {{"$ref", "#/components/responses/Error"}}}}}};
  }

  Json Path(const Method& method) {
    const Descriptor& input = InputOf(method);
    Json path = Json::object();
    if (method.is_read) {
      path["get"] = Operation(method, "get");
      path["get"]["parameters"] = Parameters(input);
    }
    path["post"] = Operation(method, "");
    path["post"]["requestBody"] = {
        {"content", {{"application/json", {{"schema", SchemaOf(input)}}}}}};
    return path;
  }

  Json Parameters(const Descriptor& input) {
    Json parameters = Json::array();
    for (int i = 0; i < input.field_count(); ++i) {
      const FieldDescriptor& field = *input.field(i);
      const bool is_message = field.type() == FieldDescriptor::TYPE_MESSAGE;
      if (is_message && WellKnownSchemas().count(field.message_type()->full_name()) == 0) continue;
      parameters.push_back({{"name", field.json_name()},
                            {"in", "query"},
                            {"description", CommentOf(field)},
                            {"schema", FieldSchema(field)}});
    }
    return parameters;
  }

  Json FieldSchema(const FieldDescriptor& field) {
    if (field.is_map()) {
      return {{"type", "object"},
              {"additionalProperties", ScalarSchema(*field.message_type()->map_value())}};
    }
    if (!field.is_repeated()) return ScalarSchema(field);
    return {{"type", "array"}, {"items", ScalarSchema(field)}};
  }

  Json ScalarSchema(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return SchemaOf(*field.message_type());
      case FieldDescriptor::CPPTYPE_ENUM:
        return SchemaOf(*field.enum_type());
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_INT32:
        return {{"type", "integer"}, {"format", "int32"}};
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"minimum", 0}, {"maximum", 4294967295}};
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64:
        return {{"type", "string"}, {"format", "int64"}};
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        return {{"type", "number"}, {"format", "double"}};
      default:
        return {{"type", "string"}};
    }
  }

  Json SchemaOf(const Descriptor& message) {
    const auto known = WellKnownSchemas().find(message.full_name());
    if (known != WellKnownSchemas().end()) return known->second;
    if (named_.insert(message.full_name()).second) messages_.push_back(&message);
    return Reference(message.full_name());
  }

  Json SchemaOf(const EnumDescriptor& type) {
    if (named_.insert(type.full_name()).second) enums_.push_back(&type);
    return Reference(type.full_name());
  }

  // The schemas of all messages and enums that are named; a schema may name others.
  Json Schemas() {
    std::map<std::string, Json> schemas;
    while (!messages_.empty()) {
      const Descriptor* message = messages_.front();
      messages_.pop_front();
      schemas[message->full_name()] = MessageSchema(*message);
    }
    for (const EnumDescriptor* type : enums_) schemas[type->full_name()] = EnumSchema(*type);
    return schemas;
  }

  Json MessageSchema(const Descriptor& message) {
    Json properties = Json::object(), required = Json::array();
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      // Beside a $ref a description would count nothing.
      Json schema = FieldSchema(field);
      if (schema.contains("$ref")) schema = {{"allOf", Json::array({schema})}};
      schema["description"] = CommentOf(field);
      properties[field.json_name()] = std::move(schema);
      if (!field.has_presence()) required.push_back(field.json_name());
    }
    Json schema = {
        {"type", "object"}, {"description", CommentOf(message)}, {"properties", properties}};
    // ToJson writes a field without presence in any case; a caller may leave it out.
    if (!required.empty() && sent_.count(&message) == 0) schema["required"] = std::move(required);
    return schema;
  }

  static Json EnumSchema(const EnumDescriptor& type) {
    Json values = Json::array();
    std::string description = CommentOf(type);
    for (int i = 0; i < type.value_count(); ++i) {
      values.push_back(type.value(i)->name());
      absl::StrAppend(&description, "\n- `", type.value(i)->name(),
                      "`: ", CommentOf(*type.value(i)));
    }
    return {{"type", "string"}, {"description", description}, {"enum", values}};
  }

  const DescriptorPool& pool_;
  std::set<const Descriptor*> sent_;  // The messages of requests.
  std::set<std::string> named_;
  std::deque<const Descriptor*> messages_;
  std::deque<const EnumDescriptor*> enums_;
};

std::string WriteOpenApi() {
  google::protobuf::FileDescriptorSet files;
  const absl::string_view content = ApiDescriptors().front().content;
  files.ParseFromArray(content.data(), static_cast<int>(content.size()));
  DescriptorPool pool;
  for (const auto& file : files.file()) pool.BuildFile(file);
  return Writer(pool).Write().dump(1);
}

}  // namespace

const std::string& OpenApi() {
  static const auto* const kOpenApi = new std::string(WriteOpenApi());
  return *kOpenApi;
}

}  // namespace priorityd::gateway
