// Fields of a message, as JSON names them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_FIELD_H_
#define PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_FIELD_H_

#include <string>

#include "google/protobuf/descriptor.h"

namespace priorityd::prioctl {

// By its name in proto JSON, or in the .proto file; null = there is none.
inline const google::protobuf::FieldDescriptor* FindField(const google::protobuf::Descriptor& type,
                                                          const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = type.field(i);
    if (field->json_name() == name || field->name() == name) return field;
  }
  return nullptr;
}

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_INPUT_JSON_FIELD_H_
