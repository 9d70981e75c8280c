#include "server/threads/work_scope.h"

#include <utility>

namespace priorityd::threads {
namespace {

thread_local const WorkScope* scope_of_this_thread = nullptr;

}  // namespace

WorkScope::WorkScope(Check check)
    : check_(check), outer_(std::exchange(scope_of_this_thread, this)) {}

WorkScope::~WorkScope() { scope_of_this_thread = outer_; }

absl::Status WorkScope::CheckCurrent() {
  return scope_of_this_thread == nullptr ? absl::OkStatus() : scope_of_this_thread->check_();
}

}  // namespace priorityd::threads
