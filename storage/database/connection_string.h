// libpq connection strings.
#ifndef STORAGE_DATABASE_CONNECTION_STRING_H_
#define STORAGE_DATABASE_CONNECTION_STRING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace priorityd::storage {

using ConnectionSetting = std::pair<std::string, std::string>;

// `keyword='value'` words, quoted for libpq.
std::string JoinConnectionString(absl::Span<const ConnectionSetting> settings);

// `url` (words or a postgresql:// URI) as words, with defaults added: 10 s to connect, 15 s for
// data to be acknowledged, TCP keepalive that detects a silent server after 11 s (5, then 3 times
// 2), and the primary among several hosts. `application_name`, if set, replaces that of the url.
// INVALID_ARGUMENT, without quoting the url (it may contain a password), if libpq cannot parse it,
// or takes what is probably a part of the password for a host or a port and would print it.
absl::StatusOr<std::string> CompleteConnectionString(const std::string& url,
                                                     const std::string& application_name = "");

// `url` as words that prefer a standby among several hosts, unless it has target_session_attrs.
// INVALID_ARGUMENT as above.
absl::StatusOr<std::string> StandbyConnectionString(const std::string& url);

// The same for one of the hosts, standby or not.
std::string ConnectionStringTo(const std::string& connection_string, const std::string& host,
                               const std::string& port);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_CONNECTION_STRING_H_
