#include "client/prioctl/text/unused_text.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kWidth = 100;

struct Heading {
  v1::UnusedClass unused_class;
  const char* of_one;
  const char* of_several;
};
constexpr Heading kHeadings[] = {
    {v1::UNUSED_CLASS_LIMITS, "limits or refuses jobs in Slurm, not here",
     "limit or refuse jobs in Slurm, not here"},
    {v1::UNUSED_CLASS_NUMBERS, "changes numbers in Slurm, not here",
     "change numbers in Slurm, not here"},
    {v1::UNUSED_CLASS_NO_CONSEQUENCE, "without consequence", "without consequence"}};

std::vector<const v1::UnusedSetting*> OfClass(const UnusedList& unused,
                                              v1::UnusedClass unused_class) {
  std::vector<const v1::UnusedSetting*> found;
  for (const v1::UnusedSetting& setting : unused) {
    if (setting.unused_class() == unused_class) found.push_back(&setting);
  }
  return found;
}

std::string PlaceOf(const v1::UnusedSetting& setting) {
  if (setting.places() == 1) return setting.place();
  return absl::StrCat(setting.place(), " and ", setting.places() - 1, " more");
}

// `MaxArraySize=100`, `PreemptParameters=min_exempt_priority=5`.
std::string Assignment(const v1::UnusedSetting& setting) {
  return absl::StrCat(setting.name().substr(0, setting.name().find('=')), "=", setting.value());
}

void PrintLines(const std::vector<const v1::UnusedSetting*>& settings, std::ostream& out) {
  for (const v1::UnusedSetting* setting : settings) {
    out << "  " << Assignment(*setting) << " (" << PlaceOf(*setting) << "): " << setting->effect()
        << '\n';
  }
}

void PrintNames(const std::vector<const v1::UnusedSetting*>& settings, std::ostream& out) {
  std::string line = " ";
  for (const v1::UnusedSetting* setting : settings) {
    if (line.size() + 1 + setting->name().size() > kWidth) {
      out << std::exchange(line, " ") << '\n';
    }
    absl::StrAppend(&line, " ", setting->name());
  }
  out << line << '\n';
}

void PrintClasses(const UnusedList& unused, bool all, std::ostream& out) {
  for (const Heading& heading : kHeadings) {
    const std::vector<const v1::UnusedSetting*> settings = OfClass(unused, heading.unused_class);
    if (settings.empty()) continue;
    out << CountedText(static_cast<int64_t>(settings.size()), "setting") << ' '
        << (settings.size() == 1 ? heading.of_one : heading.of_several) << ":\n";
    const bool names = !all && heading.unused_class == v1::UNUSED_CLASS_NO_CONSEQUENCE;
    names ? PrintNames(settings, out) : PrintLines(settings, out);
  }
}

}  // namespace

void PrintUnused(const UnusedList& unused, std::ostream& out) { PrintClasses(unused, false, out); }

void PrintAllUnused(const UnusedList& unused, std::ostream& out) {
  PrintClasses(unused, true, out);
}

}  // namespace priorityd::prioctl
