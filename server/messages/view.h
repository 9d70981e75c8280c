// Converts texts of messages to Abseil's views, which have no implicit conversion.
#ifndef PRIORITYD_SERVER_MESSAGES_VIEW_H_
#define PRIORITYD_SERVER_MESSAGES_VIEW_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// The result points into `text`.
inline absl::string_view View(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_MESSAGES_VIEW_H_
