// libpq connection strings.
#ifndef STORAGE_CONNECTION_STRING_H_
#define STORAGE_CONNECTION_STRING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace priorityd::storage {

using ConnectionSetting = std::pair<std::string, std::string>;

// `keyword='value'` words, quoted as libpq wants them.
std::string JoinConnectionString(absl::Span<const ConnectionSetting> settings);

// `url` (words or a postgresql:// URI) as words, with what it leaves unset added: 10 s to
// connect, 15 s for data to be acknowledged, 11 s (5, then 3 times 2) for a silent server to
// answer TCP's keepalive; of several hosts the one that is no standby. Where given,
// `application_name` replaces the url's. INVALID_ARGUMENT, without quoting the
// url (it may hold a password), if libpq cannot read it.
absl::StatusOr<std::string> CompleteConnectionString(const std::string& url,
                                                     const std::string& application_name = "");

// Words as above for one of their hosts, standby or not.
std::string ConnectionStringTo(const std::string& connection_string, const std::string& host,
                               const std::string& port);

}  // namespace priorityd::storage

#endif  // STORAGE_CONNECTION_STRING_H_
