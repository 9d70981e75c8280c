// Creates databases.
#ifndef STORAGE_EMBEDDED_POSTGRES_CREATE_DATABASE_H_
#define STORAGE_EMBEDDED_POSTGRES_CREATE_DATABASE_H_

#include <string>

#include "absl/status/status.h"

namespace priorityd::storage {

// Creates the database `name` as a copy of `template_name`, connected by
// `url` to another database of that server. OK if it is there already.
absl::Status CreateDatabase(const std::string& url, const std::string& name,
                            const std::string& template_name = "template1");

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_CREATE_DATABASE_H_
