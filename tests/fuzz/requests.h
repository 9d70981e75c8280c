// Every request of the services, and what the server does with it before it needs a database.
#ifndef PRIORITYD_TESTS_FUZZ_REQUESTS_H_
#define PRIORITYD_TESTS_FUZZ_REQUESTS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>
#include <string>

namespace priorityd::fuzz {

// Validates a request and, if it is valid, converts it and computes on a small site as far as that
// needs nothing stored. Ends the process where a property does not hold.
using RunRequest = void (*)(const google::protobuf::Message& request);

// By the message's name, such as `RankJobsRequest`.
const std::map<std::string, RunRequest>& Requests();

// An empty message of that name. REQUIRES: Requests() has it.
google::protobuf::Message* NewRequest(const std::string& name);

// Reads a message from text, as the corpus has it, otherwise from wire format. Where it is
// neither, `message` is empty, and false is returned.
bool ParseRequest(const std::string& body, google::protobuf::Message* message);

}  // namespace priorityd::fuzz

#endif  // PRIORITYD_TESTS_FUZZ_REQUESTS_H_
