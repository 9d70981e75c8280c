// Requests and responses on protobuf arenas, for calls with large messages: a
// hundred thousand jobs are freed at once instead of one by one.
#ifndef PRIORITYD_SERVER_RPC_ARENA_MESSAGES_H_
#define PRIORITYD_SERVER_RPC_ARENA_MESSAGES_H_

#include <google/protobuf/arena.h>
#include <grpcpp/support/message_allocator.h>

namespace priorityd::rpc {

// Thread-safe.
template <typename Request, typename Response>
class ArenaMessages : public grpc::MessageAllocator<Request, Response> {
 public:
  grpc::MessageHolder<Request, Response>* AllocateMessages() override { return new Holder; }

 private:
  class Holder : public grpc::MessageHolder<Request, Response> {
   public:
    Holder() : arena_(Options()) {
      this->set_request(google::protobuf::Arena::CreateMessage<Request>(&arena_));
      this->set_response(google::protobuf::Arena::CreateMessage<Response>(&arena_));
    }
    void Release() override { delete this; }

   private:
    static google::protobuf::ArenaOptions Options() {
      google::protobuf::ArenaOptions options;
      options.max_block_size = 1 << 20;
      return options;
    }

    google::protobuf::Arena arena_;
  };
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ARENA_MESSAGES_H_
