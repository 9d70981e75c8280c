#include "server/transport/reflection_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/slice.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::rpc {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// The fields of a request.
enum Asked { kFileByName = 3, kFileOfSymbol = 4, kExtension = 5, kExtensionNumbers = 6, kList = 7 };
// The fields of a response and of its parts.
enum Answered { kOriginal = 2, kFiles = 4, kServices = 6, kError = 7 };

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Field(int number, absl::string_view content) {
  const auto tag = static_cast<uint64_t>(number) << 3 | WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
  return absl::StrCat(Varint(tag), Varint(content.size()), content);
}

std::string Error(grpc::StatusCode code, absl::string_view message) {
  return Field(kError, absl::StrCat(Varint(1 << 3), Varint(code), Field(2, message)));
}

struct Question {
  int asked = 0;  // 0 = no known request.
  std::string name;
};

Question Read(absl::string_view bytes) {
  Question question;
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                         static_cast<int>(bytes.size()));
  while (const uint32_t tag = input.ReadTag()) {
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    const bool is_text =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (!is_text || number < kFileByName || number > kList) {
      if (!WireFormatLite::SkipField(&input, tag)) return {};
      continue;
    }
    question.asked = number;
    if (!WireFormatLite::ReadBytes(&input, &question.name)) return {};
  }
  return question;
}

// The file and its dependencies, without duplicates.
void AddFile(const FileDescriptor& file, std::set<const FileDescriptor*>* seen,
             std::string* files) {
  if (!seen->insert(&file).second) return;
  google::protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  absl::StrAppend(files, Field(1, proto.SerializeAsString()));
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), seen, files);
}

std::string FileAnswer(const FileDescriptor* file) {
  if (file == nullptr) return Error(grpc::StatusCode::NOT_FOUND, "got a name that is not there");
  std::set<const FileDescriptor*> seen;
  std::string files;
  AddFile(*file, &seen, &files);
  return Field(kFiles, files);
}

// Handles requests in turn; each is answered before the next is read.
class Reflection : public RawReactor {
 public:
  explicit Reflection(const ReflectionService& service) : service_(service) { StartRead(&bytes_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    if (bytes_.Length() > ReflectionService::kMaxQuestionBytes) {
      return Finish({grpc::StatusCode::INVALID_ARGUMENT,
                     absl::StrCat("the message: got ", bytes_.Length(), " bytes, want at most ",
                                  ReflectionService::kMaxQuestionBytes)});
    }
    grpc::Slice question;
    if (!bytes_.DumpToSingleSlice(&question).ok()) return Finish(grpc::Status::OK);
    const grpc::Slice answer(
        service_.Answer({reinterpret_cast<const char*>(question.begin()), question.size()}));
    bytes_ = grpc::ByteBuffer(&answer, 1);
    StartWrite(&bytes_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    bytes_.Clear();
    StartRead(&bytes_);
  }
  void OnDone() override { delete this; }

 private:
  const ReflectionService& service_;
  grpc::ByteBuffer bytes_;
};

}  // namespace

ReflectionService::ReflectionService(std::vector<std::string> services)
    : services_(std::move(services)) {
  Add(absl::StrCat("/", kName, "/ServerReflectionInfo"),
      [this](grpc::CallbackServerContext*) { return new Reflection(*this); });
}

std::string ReflectionService::Answer(absl::string_view question) const {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const std::string original = Field(kOriginal, question);
  const Question asked = Read(question);
  switch (asked.asked) {
    case kFileByName:
      return original + FileAnswer(pool.FindFileByName(asked.name));
    case kFileOfSymbol:
      return original + FileAnswer(pool.FindFileContainingSymbol(asked.name));
    case kExtension:
    case kExtensionNumbers:
      return original + Error(grpc::StatusCode::NOT_FOUND, "there are no extensions");
    case kList: {
      std::string list;
      for (const std::string& service : services_)
        absl::StrAppend(&list, Field(1, Field(1, service)));
      return original + Field(kServices, list);
    }
    default:
      return original + Error(grpc::StatusCode::INVALID_ARGUMENT, "got no question, want one");
  }
}

}  // namespace priorityd::rpc
