#include "tests/server/service/health.h"

#include <utility>

namespace priorityd {
namespace {

grpc::ByteBuffer RequestOf(const std::string& service) {
  std::string text;
  if (!service.empty()) {
    text = std::string("\x0a") + static_cast<char>(service.size()) + service;
  }
  grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

int StatusIn(const grpc::ByteBuffer& bytes) {
  grpc::Slice response;
  if (!bytes.DumpToSingleSlice(&response).ok()) return 0;
  return response.size() == 2 && response.begin()[0] == 0x08 ? response.begin()[1] : 0;
}

}  // namespace

int CheckHealth(std::shared_ptr<grpc::Channel> channel, const std::string& service) {
  grpc::GenericStub stub(std::move(channel));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", RequestOf(service), &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  return status.ok() ? StatusIn(response) : -static_cast<int>(status.error_code());
}

HealthWatch::HealthWatch(std::shared_ptr<grpc::Channel> channel) : stub_(std::move(channel)) {
  call_ = stub_.PrepareCall(&context_, "/grpc.health.v1.Health/Watch", &queue_);
  call_->StartCall(nullptr);
  Await();
  call_->WriteLast(RequestOf(""), grpc::WriteOptions(), nullptr);
  Await();
}

HealthWatch::~HealthWatch() {
  context_.TryCancel();
  grpc::Status status;
  call_->Finish(&status, nullptr);
  Await();
}

int HealthWatch::Next() {
  grpc::ByteBuffer response;
  call_->Read(&response, nullptr);
  return Await() ? StatusIn(response) : -1;
}

bool HealthWatch::Await() {
  void* tag;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

}  // namespace priorityd
