// Times and zones of tests from text.
#ifndef PRIORITYD_TESTS_TIMES_H_
#define PRIORITYD_TESTS_TIMES_H_

#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"

namespace priorityd {

// RFC 3339: "2026-11-20T17:00:00Z".
inline absl::Time ParsedTime(const char* text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << text << ": " << error;
  return time;
}

// "Europe/Berlin".
inline absl::TimeZone NamedZone(const char* name) {
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone(name, &zone)) << name;
  return zone;
}

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_TIMES_H_
