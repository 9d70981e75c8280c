#include "tests/client/examples/batch_frontend/palmetto_jobs.h"

#include "absl/strings/str_cat.h"

namespace priorityd::batch_frontend::palmetto {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;

}  // namespace

absl::Time At(int hour, int minute) {
  return absl::FromCivil(absl::CivilMinute(2026, 1, 5, hour, minute), absl::UTCTimeZone());
}

std::vector<Job> EightJobs() {
  struct Row {
    absl::Time submitted;
    int cpus;
    int minutes;
  };
  const Row rows[] = {
      {At(9, 0), 2, 60},   {At(9, 30), 1, 120}, {At(9, 45), 1, 60},  {At(9, 55), 1, 60},
      {At(10, 10), 2, 90}, {At(10, 12), 1, 75}, {At(10, 13), 2, 60}, {At(10, 20), 1, 30},
  };
  std::vector<Job> jobs;
  for (const Row& row : rows) {
    jobs.push_back({.id = absl::StrCat(jobs.size() + 1),
                    .user = "ann",
                    .submit_time = row.submitted,
                    .time_limit = absl::Minutes(row.minutes),
                    .run_time = absl::Minutes(row.minutes),
                    .request = {.nodes = 1, .cpus_per_node = row.cpus}});
  }
  return jobs;
}

// Jobs 6 and 8 start before job 5, which the page shows as planned; so they overtake it.
std::map<std::string, WantedStart> EightStarts() {
  return {{"1", {At(9, 0), kA, false}},  {"2", {At(9, 30), kB, false}},
          {"3", {At(9, 45), kB, false}}, {"4", {At(10, 0), kA, false}},
          {"5", {At(11, 0), kA, false}}, {"6", {At(10, 45), kB, true}},
          {"7", {At(12, 0), kB, false}}, {"8", {At(10, 20), kA, true}}};
}

}  // namespace priorityd::batch_frontend::palmetto
