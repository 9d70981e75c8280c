#include "engine/forecast/job_class.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::forecast {
namespace {

struct Bin {
  double most;
  absl::string_view name;
};

constexpr Bin kSizes[] = {{1, "1 CPU"},       {4, "2-4 CPUs"},      {16, "5-16 CPUs"},
                          {64, "17-64 CPUs"}, {256, "65-256 CPUs"}, {1024, "257-1024 CPUs"}};
constexpr Bin kLimits[] = {{900, "up to 15 min"},
                           {3600, "15-60 min"},
                           {14400, "1-4 h"},
                           {43200, "4-12 h"},
                           {86400, "12-24 h"}};

template <size_t kBins>
std::string NameOf(const Bin (&bins)[kBins], double value, absl::string_view more) {
  for (const Bin& bin : bins) {
    if (value <= bin.most) return std::string(bin.name);
  }
  return std::string(more);
}

}  // namespace

std::string SizeClass(const Job& job) { return NameOf(kSizes, job.cpus, "over 1024 CPUs"); }

std::string LimitClass(const Job& job) {
  return job.limit > 0 ? NameOf(kLimits, job.limit, "over 24 h") : "no limit";
}

std::string ClassOf(const Job& job) {
  return absl::StrCat(job.partition, "\x1f", job.qos, "\x1f", SizeClass(job), "\x1f",
                      LimitClass(job));
}

}  // namespace priorityd::forecast
