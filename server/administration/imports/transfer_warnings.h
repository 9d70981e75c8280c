// Warns of imported transfers that TransferGrant would refuse.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_TRANSFER_WARNINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_TRANSFER_WARNINGS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "server/administration/imports/grant_import.h"
#include "server/administration/imports/own_objects.h"
#include "server/grants/grant_book.h"

namespace priorityd::administration {

// Of each transfer, with its line: that its time is later than the cluster's, that a grant was not
// in force then, or that more is taken from its window than was available. An import has no usage,
// so what was left is not known. None where the cluster's clock was never set. They are warnings,
// because amounts that were reduced after a transfer are in an export too.
// REQUIRES: `book` has the grants and transfers of the file; `added` are of `objects`.
std::vector<std::string> WarningsOfTransfers(const grants::GrantBook& book,
                                             const OwnObjects& objects,
                                             absl::Span<const OwnTransfer* const> added,
                                             const OwnImport& how);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_TRANSFER_WARNINGS_H_
