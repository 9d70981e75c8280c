// The log as entries of systemd's journal, with the fields of each line.
#ifndef PRIORITYD_SERVER_LOGGING_JOURNAL_H_
#define PRIORITYD_SERVER_LOGGING_JOURNAL_H_

#include <spdlog/common.h>
#include <spdlog/sinks/sink.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/logging/log_fields.h"

namespace priorityd::logging {

// Whether journald runs on this host.
bool HasJournal();

// `NAME=value` of each field of an entry: PRIORITY, SYSLOG_IDENTIFIER, MESSAGE (the line of the
// text format without time and level), and one for each field, its name in capitals:
// METHOD=RankJobs.
std::vector<std::string> JournalEntry(spdlog::level::level_enum level, absl::string_view message,
                                      const LogFields& fields);

// Sends entries to the journal; an entry that journald does not take goes to stderr.
spdlog::sink_ptr MakeJournalSink();

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_JOURNAL_H_
