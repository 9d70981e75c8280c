#include "server/gateway/methods.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "server/authorization/rights_table.h"

namespace priorityd::gateway {
namespace {

// Prefixes of the names of methods that change nothing.
constexpr absl::string_view kReads[] = {"List", "Get", "Report", "Watch", "Export"};

bool IsRead(const std::string& name) {
  for (const absl::string_view read : kReads) {
    if (absl::StartsWith(name, read)) return true;
  }
  return false;
}

std::unique_ptr<Message> New(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

void Add(const google::protobuf::ServiceDescriptor& service, std::map<std::string, Method>* all) {
  for (int i = 0; i < service.method_count(); ++i) {
    const google::protobuf::MethodDescriptor* method = service.method(i);
    (*all)[absl::StrCat("/v1/", service.name(), "/", method->name())] = {
        method, absl::StrCat("/", service.full_name(), "/", method->name()), IsRead(method->name()),
        authorization::OnlyReads(method->name())};
  }
}

}  // namespace

std::unique_ptr<Message> Method::NewRequest() const { return New(descriptor->input_type()); }

std::unique_ptr<Message> Method::NewResponse() const { return New(descriptor->output_type()); }

const std::map<std::string, Method>& Methods() {
  static const auto* const kMethods = [] {
    auto* all = new std::map<std::string, Method>;
    // By the tables: of a file without messages nothing else makes the linker keep it.
    for (const auto* table : {&::descriptor_table_priority_2fv1_2fpriority_5fservice_2eproto,
                              &::descriptor_table_priority_2fv1_2fadmin_5fservice_2eproto}) {
      Add(*google::protobuf::DescriptorPool::generated_pool()
               ->FindFileByName(table->filename)
               ->service(0),
          all);
    }
    return all;
  }();
  return *kMethods;
}

}  // namespace priorityd::gateway
