#include "client/prioctl/slurm/sprio_rows.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/text/option_error.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// One job in one partition.
struct Row {
  std::string job_id;
  std::string partition;
  std::string qos;
  std::string user;
  std::string account;
  std::string cluster;
  uint32_t priority = 0;
  v1::PriorityFactors factors;
  v1::PriorityFactors contributions;
  size_t place = 0;  // In the answer.
};

std::string Whole(double value) { return absl::StrFormat("%.0f", value); }

// As scontrol and sprio spell a TRES, in the order of their numbers: cpu, mem, node,
// billing, then the others by name.
std::string TresText(const google::protobuf::Map<std::string, double>& tres, const char* format) {
  static const std::vector<std::string> kOrder = {"cpu", "mem", "energy", "node", "billing"};
  const auto place = [](const std::string& name) {
    return std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin();
  };
  std::vector<std::pair<std::string, double>> sorted(tres.begin(), tres.end());
  std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return std::pair(place(a.first), a.first) < std::pair(place(b.first), b.first);
  });
  std::vector<std::string> parts;
  for (const auto& [name, value] : sorted) {
    if (value == 0) continue;
    parts.push_back(
        absl::StrCat(name, "=", absl::StrFormat(*absl::ParsedFormat<'f'>::New(format), value)));
  }
  return absl::StrJoin(parts, ",");
}

std::string Share(double factor) { return absl::StrFormat("%.7f", factor); }

// Whether somebody set the priority: then no factor says it.
bool IsSetByHand(const Row& row) {
  const v1::PriorityFactors& c = row.contributions;
  double sum = c.age() + c.assoc() + c.fair_share() + c.job_size() + c.partition() + c.qos();
  sum += c.site() + c.nice();
  for (const auto& [name, value] : c.tres()) sum += value;
  return sum == 0 && row.priority > 1;
}

// As a part of the highest there is, with more digits than fit where sprio cuts it; one that was
// set by hand as it is.
std::string Normalized(const Row& row) {
  return absl::StrFormat("%.14f", IsSetByHand(row) ? row.priority : row.priority / 4294967295.0);
}

// The content of a field; the key is its letter in --format.
struct Field {
  const char* heading;
  std::string (*text)(const Row& row);
  // The value that --sort compares; null = the text.
  double (*number)(const Row& row);
};

using Term = double (v1::PriorityFactors::*)() const;

template <Term term>
Field Contribution(const char* heading) {
  return {heading, [](const Row& row) { return Whole((row.contributions.*term)()); },
          [](const Row& row) { return (row.contributions.*term)(); }};
}

template <Term term>
Field Factor(const char* heading) {
  return {heading, [](const Row& row) { return Share((row.factors.*term)()); },
          [](const Row& row) { return (row.factors.*term)(); }};
}

const absl::btree_map<char, Field>& Fields() {
  static const auto& fields = *new absl::btree_map<char, Field>{
      {'i', {"JOBID", [](const Row& row) { return row.job_id; }, nullptr}},
      {'r', {"PARTITION", [](const Row& row) { return row.partition; }, nullptr}},
      {'u', {"USER", [](const Row& row) { return row.user; }, nullptr}},
      {'o', {"ACCOUNT", [](const Row& row) { return row.account; }, nullptr}},
      {'n', {"QOSNAME", [](const Row& row) { return row.qos; }, nullptr}},
      {'Y',
       {"PRIORITY", [](const Row& row) { return absl::StrCat(row.priority); },
        [](const Row& row) { return double{1} * row.priority; }}},
      {'y', {"PRIORITY", Normalized, [](const Row& row) { return double{1} * row.priority; }}},
      {'c', {"CLUSTER", [](const Row& row) { return row.cluster; }, nullptr}},
      {'S', Contribution<&v1::PriorityFactors::site>("SITE")},
      {'N',
       {"NICE", [](const Row& row) { return Whole(row.factors.nice()); },
        [](const Row& row) { return row.factors.nice(); }}},
      {'A', Contribution<&v1::PriorityFactors::age>("AGE")},
      {'a', Factor<&v1::PriorityFactors::age>("AGE")},
      {'B', Contribution<&v1::PriorityFactors::assoc>("ASSOC")},
      {'b', Factor<&v1::PriorityFactors::assoc>("ASSOC")},
      {'F', Contribution<&v1::PriorityFactors::fair_share>("FAIRSHARE")},
      {'f', Factor<&v1::PriorityFactors::fair_share>("FAIRSHARE")},
      {'J', Contribution<&v1::PriorityFactors::job_size>("JOBSIZE")},
      {'j', Factor<&v1::PriorityFactors::job_size>("JOBSIZE")},
      {'P', Contribution<&v1::PriorityFactors::partition>("PARTITION")},
      {'p', Factor<&v1::PriorityFactors::partition>("PARTITION")},
      {'Q', Contribution<&v1::PriorityFactors::qos>("QOS")},
      {'q', Factor<&v1::PriorityFactors::qos>("QOS")},
      {'T',
       {"TRES", [](const Row& row) { return TresText(row.contributions.tres(), "%.0f"); },
        nullptr}},
      {'t', {"TRES", [](const Row& row) { return TresText(row.factors.tres(), "%.2f"); }, nullptr}},
  };
  return fields;
}

// A field of --format, or the text between two.
struct Column {
  std::string text;
  const Field* field = nullptr;
  int width = 0;  // 0 = as wide as it is
  bool right = false;
};

absl::StatusOr<const Field*> FieldOf(char letter, const char* option) {
  const auto found = Fields().find(letter);
  if (found != Fields().end()) return &found->second;
  std::string known;
  for (const auto& [name, field] : Fields()) known.push_back(name);
  return OptionError(
      absl::StrCat(option, ": got field ", std::string(1, letter), ", want one of ", known));
}

// `%[.][SIZE]LETTER` and text.
absl::StatusOr<std::vector<Column>> ParseFormat(const std::string& format) {
  std::vector<Column> columns;
  for (size_t i = 0; i < format.size(); ++i) {
    Column column;
    if (format[i] != '%') {
      column.text = std::string(1, format[i]);
      columns.push_back(column);
      continue;
    }
    ++i;
    for (; i < format.size() && format[i] == '.'; ++i) column.right = true;
    for (; i < format.size() && absl::ascii_isdigit(format[i]); ++i) {
      column.width = std::min(column.width * 10 + (format[i] - '0'), 10000);
    }
    if (i == format.size()) {
      return OptionError("--format: got a % without a letter at the end");
    }
    const auto field = FieldOf(format[i], "--format");
    if (!field.ok()) return field.status();
    column.field = *field;
    columns.push_back(column);
  }
  return columns;
}

// Slurm's own, without the factors that have no weight.
std::string DefaultFormat(const v1::PolicyParameters& weights, const SprioOptions& options) {
  const bool shares = options.normalized;
  if (options.long_listing) {
    return shares ? "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t"
                  : "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T";
  }
  std::string format = "%.15i %9r";
  if (!options.users.empty()) format += " %.8u";
  format += shares ? " %10y" : " %.10Y %.10S";
  const auto add = [&](bool weighted, const char* contribution, const char* factor) {
    if (weighted) absl::StrAppend(&format, " ", shares ? factor : contribution);
  };
  add(weights.weight_age() != 0, "%.10A", "%10a");
  add(weights.weight_assoc() != 0, "%.10B", "%10b");
  add(weights.weight_fair_share() != 0, "%.10F", "%10f");
  add(weights.weight_job_size() != 0, "%.10J", "%10j");
  add(weights.weight_partition() != 0, "%.10P", "%10p");
  add(weights.weight_qos() != 0, "%.10Q", "%10q");
  add(!weights.weight_tres().empty(), "%.20T", "%20t");
  return format;
}

std::string Cell(const Column& column, const std::string& text) {
  if (column.width == 0) return text;
  return column.right ? absl::StrFormat("%*.*s", column.width, column.width, text)
                      : absl::StrFormat("%-*.*s", column.width, column.width, text);
}

void PrintLine(const std::vector<Column>& columns,
               const std::function<std::string(const Field&)>& text, std::ostream& out) {
  for (const Column& column : columns) {
    out << (column.field == nullptr ? column.text : Cell(column, text(*column.field)));
  }
  out << '\n';
}

template <typename Proto>
Row RowOf(const Proto& proto, const std::string& cluster, size_t place) {
  return {
      proto.job_id(), proto.partition(), proto.qos(),     proto.user(),          proto.account(),
      cluster,        proto.priority(),  proto.factors(), proto.contributions(), place};
}

bool HasFlag(const v1::PolicyParameters& parameters, const char* flag) {
  const auto& flags = parameters.flags();
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

// Whether sprio lists a job that cannot start for this reason.
bool Listed(const v1::IneligibleJob& job, bool accrue_always) {
  if (!job.has_priority() || job.priority() == 0) return false;
  const bool begins_later = job.reason() == "Dependency" || job.reason() == "BeginTime" ||
                            job.reason() == "DependencyNeverSatisfied";
  return accrue_always || !begins_later;
}

std::vector<Row> RowsOf(const v1::RankJobsResponse& answer, const v1::PolicyParameters& parameters,
                        const SprioOptions& options) {
  const bool accrue_always = HasFlag(parameters, "ACCRUE_ALWAYS");
  const std::set<std::string> jobs(options.jobs.begin(), options.jobs.end());
  std::vector<Row> rows;
  const auto add = [&](const auto& job) {
    if (!jobs.empty() && jobs.count(job.job_id()) == 0) return;
    rows.push_back(RowOf(job, answer.snapshot().cluster(), rows.size()));
  };
  for (const v1::RankedJob& job : answer.ranked()) {
    if (job.priority() > 0) add(job);
  }
  for (const v1::IneligibleJob& job : answer.ineligible()) {
    if (Listed(job, accrue_always)) add(job);
  }
  for (const v1::RunningJob& job : answer.running()) {
    if (ListsRunningJobs(parameters) && job.priority() > 0) add(job);
  }
  return rows;
}

// Less than, equal to or greater than 0; numbers in job ids count as numbers.
int Compare(const Field& field, const Row& a, const Row& b) {
  if (field.number != nullptr) {
    const double difference = field.number(a) - field.number(b);
    return difference < 0 ? -1 : difference > 0;
  }
  const std::string text_a = field.text(a);
  const std::string text_b = field.text(b);
  uint64_t number_a = 0;
  uint64_t number_b = 0;
  if (absl::SimpleAtoi(text_a, &number_a) && absl::SimpleAtoi(text_b, &number_b)) {
    return number_a < number_b ? -1 : number_a > number_b;
  }
  return text_a.compare(text_b);
}

struct SortKey {
  const Field* field;
  bool descending;
};

// `[+|-]LETTER`, joined by commas; the first difference decides.
absl::StatusOr<std::vector<SortKey>> ParseSort(const std::string& keys) {
  std::vector<SortKey> order;
  for (absl::string_view key : absl::StrSplit(keys, ',', absl::SkipEmpty())) {
    const bool descending = key.front() == '-';
    if (key.front() == '-' || key.front() == '+') key.remove_prefix(1);
    if (key.size() != 1) {
      return OptionError("--sort: want letters of --format, each after + or -");
    }
    const auto field = FieldOf(key.front(), "--sort");
    if (!field.ok()) return field.status();
    order.push_back({*field, descending});
  }
  return order;
}

void Sort(const std::vector<SortKey>& order, std::vector<Row>* rows) {
  std::stable_sort(rows->begin(), rows->end(), [&](const Row& a, const Row& b) {
    for (const SortKey& key : order) {
      const int difference = Compare(*key.field, a, b);
      if (difference != 0) return (difference < 0) != key.descending;
    }
    return false;
  });
}

std::string SortOf(const SprioOptions& options) {
  return options.sort.empty() ? "i" : options.sort;
}

}  // namespace

bool ListsRunningJobs(const v1::PolicyParameters& parameters) {
  return HasFlag(parameters, "CALCULATE_RUNNING");
}

absl::Status CheckOptions(const SprioOptions& options) {
  absl::Status format = ParseFormat(options.format).status();
  return format.ok() ? ParseSort(SortOf(options)).status() : format;
}

std::vector<std::string> JobsOfSeveralRows(const v1::RankJobsResponse& answer) {
  std::map<std::string, int> rows;
  for (const v1::RankedJob& job : answer.ranked()) ++rows[job.job_id()];
  std::vector<std::string> jobs;
  for (const auto& [job, count] : rows) {
    if (count > 1) jobs.push_back(job);
  }
  return jobs;
}

void OrderAsNamed(const v1::ListJobsResponse& jobs, v1::RankJobsResponse* answer) {
  std::map<std::pair<std::string, std::string>, int> places;
  for (const v1::TrackedJob& job : jobs.jobs()) {
    const auto& partitions = job.job().partitions();
    for (int i = 0; i < partitions.size(); ++i) places[{job.job().job_id(), partitions[i]}] = i;
  }
  const auto place = [&](const v1::RankedJob& row) {
    const auto found = places.find({row.job_id(), row.partition()});
    return found == places.end() ? 0 : found->second;
  };
  std::stable_sort(answer->mutable_ranked()->begin(), answer->mutable_ranked()->end(),
                   [&](const v1::RankedJob& a, const v1::RankedJob& b) {
                     return std::pair(a.job_id(), place(a)) < std::pair(b.job_id(), place(b));
                   });
}

absl::Status PrintPriorities(const v1::RankJobsResponse& answer,
                             const v1::PolicyParameters& parameters, const SprioOptions& options,
                             std::ostream& out) {
  const auto columns =
      ParseFormat(options.format.empty() ? DefaultFormat(parameters, options) : options.format);
  if (!columns.ok()) return columns.status();
  const auto order = ParseSort(SortOf(options));
  if (!order.ok()) return order.status();
  std::vector<Row> rows = RowsOf(answer, parameters, options);
  Sort(*order, &rows);
  if (options.header) {
    PrintLine(
        *columns, [](const Field& field) { return std::string(field.heading); }, out);
  }
  for (const Row& row : rows) {
    PrintLine(
        *columns, [&row](const Field& field) { return field.text(row); }, out);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
