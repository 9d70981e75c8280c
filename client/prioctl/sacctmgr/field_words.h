// The words that are typed for what requests call otherwise.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELD_WORDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELD_WORDS_H_

#include <string>

namespace priorityd::sacctmgr {

// An error with words in place of fields: `where.accounts[0]: got ...` as `account: got ...`.
std::string FieldsInWords(std::string text);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_FIELD_WORDS_H_
