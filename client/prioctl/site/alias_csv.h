// Aliases of users as CSV.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SITE_ALIAS_CSV_H_
#define PRIORITYD_CLIENT_PRIOCTL_SITE_ALIAS_CSV_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "priority/v1/alias.pb.h"

namespace priorityd::prioctl {

struct AliasLine {
  int line = 0;  // From 1 on; 0 = not of a file.
  ::priority::v1::UserAlias alias;
};

// Reads lines `source,alias,user`; a first line with these words is skipped, and so are blank
// lines, lines that begin with #, and a byte order mark. A cell may be in double quotes, in which
// "" is one, and in which it may have line breaks. INVALID_ARGUMENT names the file `name` and the
// line.
absl::StatusOr<std::vector<AliasLine>> ReadAliasCsv(absl::string_view text, absl::string_view name);

// The same lines, with the first. ReadAliasCsv reads exactly these aliases, whatever characters
// they have.
std::string ToAliasCsv(
    const google::protobuf::RepeatedPtrField<::priority::v1::UserAlias>& aliases);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SITE_ALIAS_CSV_H_
