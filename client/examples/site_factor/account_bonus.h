// A bonus per account, read from a file.
#ifndef PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_ACCOUNT_BONUS_H_
#define PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_ACCOUNT_BONUS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::site_factor_example {

// By account; accounts that are not listed have none.
using AccountBonus = absl::flat_hash_map<std::string, int32_t>;

// Lines `ACCOUNT BONUS`, a whole number from -2147483648 to 2147483647; empty lines
// and comments after `#` are skipped. INVALID_ARGUMENT names the line at fault.
absl::StatusOr<AccountBonus> ParseAccountBonus(absl::string_view text);

// NOT_FOUND if the file cannot be read.
absl::StatusOr<AccountBonus> ReadAccountBonus(const std::string& path);

}  // namespace priorityd::site_factor_example

#endif  // PRIORITYD_CLIENT_EXAMPLES_SITE_FACTOR_ACCOUNT_BONUS_H_
