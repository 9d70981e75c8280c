#include "storage/database/transaction.h"

namespace priorityd::storage {

absl::Status Transaction::Fail(DatabaseError error) {
  error_ = std::move(error);
  return error_->status;
}

}  // namespace priorityd::storage
