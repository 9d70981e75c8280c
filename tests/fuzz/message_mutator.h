// Mutations of a protobuf message that are messages again: what libprotobuf-mutator does, which
// Debian does not package.
#ifndef PRIORITYD_TESTS_FUZZ_MESSAGE_MUTATOR_H_
#define PRIORITYD_TESTS_FUZZ_MESSAGE_MUTATOR_H_

#include <google/protobuf/message.h>

#include <random>

namespace priorityd {

// Changes one field somewhere in `message`: sets it, often to a value at the edge of its type or of
// a bound of ours, clears it, or adds, doubles, swaps or removes an element of it.
void MutateMessage(google::protobuf::Message* message, std::mt19937& random);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_FUZZ_MESSAGE_MUTATOR_H_
