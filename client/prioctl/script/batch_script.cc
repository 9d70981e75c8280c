#include "client/prioctl/script/batch_script.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/script/script_options.h"
#include "client/slurm/tables/report_time.h"
#include "client/timestamp.h"
#include "engine/slurm/words/array_task_ids.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::script {
namespace {

namespace v1 = ::priority::v1;

constexpr uint64_t kMostTasks = 1'000'000'000;
constexpr uint64_t kMostNodes = 1'000'000;
constexpr double kMostMegabytes = 1e15;
constexpr int64_t kMostNice = 2'147'483'645;
constexpr int64_t kDefaultNice = 100;

using Counts = std::map<std::string, double>;

// The options that are added up at the end.
struct Sizes {
  std::optional<double> nodes;
  std::optional<double> ntasks;
  std::optional<double> tasks_per_node;
  double cpus_per_task = 1;
  std::optional<double> cpus_per_gpu;
  std::optional<double> memory_per_node;  // MB.
  std::optional<double> memory_per_cpu;
  std::optional<double> memory_per_gpu;
  Counts gres_per_node;  // By TRES.
  Counts gpus;           // gres/gpu and gres/gpu:TYPE, of the job.
  Counts gpus_per_node;
  Counts gpus_per_task;
};

// Reads options one by one.
class ScriptReader {
 public:
  ScriptReader(const std::string& name, absl::Time now, absl::TimeZone zone)
      : name_(name), now_(now), zone_(zone) {}

  absl::Status Take(const ScriptOption& option);
  BatchScript Finish() &&;

 private:
  using Reader = absl::Status (ScriptReader::*)(const ScriptOption& option);
  struct Row {
    const char* name;
    Reader read;
  };
  static const Row kRows[];

  std::string Where(const ScriptOption& option) const {
    return absl::StrCat(name_, " line ", option.line, ": --", option.name, ": ");
  }
  absl::Status Wrong(const ScriptOption& option, absl::string_view want) const {
    return absl::InvalidArgumentError(
        absl::StrCat(Where(option), "got \"", option.value, "\", want ", want));
  }
  void Warn(const ScriptOption& option, absl::string_view what) {
    result_.warnings.push_back(absl::StrCat(Where(option), what));
  }

  absl::Status Count(const ScriptOption& option, uint64_t most,
                     std::optional<double>* count) const {
    const std::optional<uint64_t> read = slurm::ReadConfInteger(option.value, most);
    if (read.value_or(0) == 0) return Wrong(option, absl::StrCat("a number from 1 to ", most));
    *count = static_cast<double>(*read);
    return absl::OkStatus();
  }
  absl::Status Memory(const ScriptOption& option, std::optional<double>* megabytes) const {
    const auto unit = [](int power) { return std::pow(1024.0, power == 0 ? 0 : power - 2); };
    *megabytes = slurm::ReadAmount(option.value, unit, kMostMegabytes);
    return megabytes->has_value() ? absl::OkStatus()
                                  : Wrong(option, "an amount such as 500, 500M or 4G");
  }
  absl::Status Gres(const ScriptOption& option, absl::string_view kind, Counts* counts) const {
    // `2` and `a100:2` of GPUs are `gpu:2` and `gpu:a100:2` of --gres.
    std::vector<std::string> items;
    for (const absl::string_view item : absl::StrSplit(option.value, ',', absl::SkipEmpty())) {
      items.push_back(absl::StrCat(kind, item));
    }
    const auto read = slurm::ParseGres(absl::StrJoin(items, ","));
    if (!read.ok()) return Wrong(option, "counts such as gpu:2 or gpu:a100:2");
    for (const auto& [tres, count] : *read) (*counts)[tres] = count;
    return absl::OkStatus();
  }
  void SetList(const std::string& text, google::protobuf::RepeatedPtrField<std::string>* list) {
    list->Clear();
    for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
      list->Add(std::string(word));
    }
  }

  absl::Status Account(const ScriptOption& option) {
    result_.job.set_account(option.value);
    return absl::OkStatus();
  }
  absl::Status Array(const ScriptOption& option) {
    const auto tasks = slurm::CountArrayTasks(option.value);
    if (!tasks.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(Where(option), tasks.status().message()));
    }
    result_.job.set_array_task_ids(option.value);
    return absl::OkStatus();
  }
  absl::Status Begin(const ScriptOption& option) {
    const auto time = tables::ParseReportTime(option.value, now_, zone_);
    if (!time.ok()) return Wrong(option, "a time such as 16:00, now+1hour or 2026-11-20T14:07");
    *result_.job.mutable_eligible_time() = client::ToTimestamp(*time);
    return absl::OkStatus();
  }
  absl::Status CpusPerGpu(const ScriptOption& option) {
    return Count(option, kMostTasks, &sizes_.cpus_per_gpu);
  }
  absl::Status CpusPerTask(const ScriptOption& option) {
    std::optional<double> count;
    absl::Status read = Count(option, kMostTasks, &count);
    sizes_.cpus_per_task = count.value_or(1);
    return read;
  }
  absl::Status Dependency(const ScriptOption& option) {
    Warn(option, "taken as met; the job waits for it");
    return absl::OkStatus();
  }
  absl::Status Exclusive(const ScriptOption& option) {
    Warn(option, "a whole node is charged with all its CPUs; here the CPUs of the tasks count");
    return absl::OkStatus();
  }
  absl::Status Gpus(const ScriptOption& option) { return Gres(option, "gpu:", &sizes_.gpus); }
  absl::Status GpusPerNode(const ScriptOption& option) {
    return Gres(option, "gpu:", &sizes_.gpus_per_node);
  }
  absl::Status GpusPerTask(const ScriptOption& option) {
    return Gres(option, "gpu:", &sizes_.gpus_per_task);
  }
  absl::Status GresPerNode(const ScriptOption& option) {
    if (absl::EqualsIgnoreCase(option.value, "none")) return absl::OkStatus();
    return Gres(option, "", &sizes_.gres_per_node);
  }
  absl::Status Hold(const ScriptOption&) {
    result_.job.set_hold(v1::HOLD_USER);
    return absl::OkStatus();
  }
  absl::Status JobName(const ScriptOption& option) {
    result_.job.set_name(option.value);
    return absl::OkStatus();
  }
  absl::Status Licenses(const ScriptOption& option) {
    const auto licenses = slurm::ParseLicenses(option.value);
    if (!licenses.ok()) return Wrong(option, "licenses such as matlab:5,fluent@server:2");
    for (const auto& [name, count] : *licenses) (*result_.job.mutable_tres())[name] = count;
    return absl::OkStatus();
  }
  absl::Status MemoryPerNode(const ScriptOption& option) {
    absl::Status read = Memory(option, &sizes_.memory_per_node);
    if (read.ok() && sizes_.memory_per_node == 0) {
      Warn(option, "all memory of the nodes, which is not known here, is not counted");
    }
    return read;
  }
  absl::Status MemoryPerCpu(const ScriptOption& option) {
    return Memory(option, &sizes_.memory_per_cpu);
  }
  absl::Status MemoryPerGpu(const ScriptOption& option) {
    return Memory(option, &sizes_.memory_per_gpu);
  }
  absl::Status Nice(const ScriptOption& option) {
    int64_t nice = kDefaultNice;
    const bool is_read = option.value.empty() || absl::SimpleAtoi(option.value, &nice);
    if (!is_read || std::abs(nice) > kMostNice) {
      return Wrong(option, absl::StrCat("a number from -", kMostNice, " to ", kMostNice));
    }
    result_.job.set_nice(nice);
    return absl::OkStatus();
  }
  // `2`, `2-4`, of which the least counts.
  absl::Status Nodes(const ScriptOption& option) {
    ScriptOption least = option;
    const std::vector<std::string> ends = absl::StrSplit(option.value, absl::MaxSplits('-', 1));
    least.value = ends.front();
    absl::Status read = Count(least, kMostNodes, &sizes_.nodes);
    if (!read.ok() || ends.size() == 1) return read.ok() ? read : Wrong(option, kNodes);
    const std::optional<uint64_t> most = slurm::ReadConfInteger(ends.back(), kMostNodes);
    if (!most.has_value() || *most < *sizes_.nodes) return Wrong(option, kNodes);
    if (*most > *sizes_.nodes) Warn(option, "the least number counts");
    return absl::OkStatus();
  }
  absl::Status Tasks(const ScriptOption& option) {
    return Count(option, kMostTasks, &sizes_.ntasks);
  }
  absl::Status TasksPerNode(const ScriptOption& option) {
    return Count(option, kMostTasks, &sizes_.tasks_per_node);
  }
  absl::Status Partition(const ScriptOption& option) {
    SetList(option.value, result_.job.mutable_partitions());
    return absl::OkStatus();
  }
  absl::Status Priority(const ScriptOption& option) {
    uint32_t priority = 0;
    if (!absl::SimpleAtoi(option.value, &priority)) return Wrong(option, "a number from 0");
    result_.job.set_admin_priority(priority);
    Warn(option, "only an operator may set it");
    return absl::OkStatus();
  }
  absl::Status Qos(const ScriptOption& option) {
    SetList(option.value, result_.job.mutable_qos());
    return absl::OkStatus();
  }
  absl::Status Reservation(const ScriptOption& option) {
    result_.job.set_reservation(option.value);
    return absl::OkStatus();
  }
  absl::Status Time(const ScriptOption& option) {
    const auto limit = slurm::ParseTimeString(option.value);
    if (!limit.ok()) return Wrong(option, "a time such as 30, 2:00:00 or 1-0");
    result_.job.clear_time_limit();
    // 0 and UNLIMITED: as long as the partition permits.
    if (*limit == absl::ZeroDuration() || *limit == absl::InfiniteDuration()) {
      return absl::OkStatus();
    }
    result_.job.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(*limit));
    return absl::OkStatus();
  }

  static constexpr char kNodes[] = "a number or a range such as 2-4";

  const std::string& name_;
  const absl::Time now_;
  const absl::TimeZone zone_;
  BatchScript result_;
  Sizes sizes_;
};

const ScriptReader::Row ScriptReader::kRows[] = {
    {"account", &ScriptReader::Account},
    {"array", &ScriptReader::Array},
    {"begin", &ScriptReader::Begin},
    {"cpus-per-gpu", &ScriptReader::CpusPerGpu},
    {"cpus-per-task", &ScriptReader::CpusPerTask},
    {"dependency", &ScriptReader::Dependency},
    {"exclusive", &ScriptReader::Exclusive},
    {"gpus", &ScriptReader::Gpus},
    {"gpus-per-node", &ScriptReader::GpusPerNode},
    {"gpus-per-task", &ScriptReader::GpusPerTask},
    {"gres", &ScriptReader::GresPerNode},
    {"hold", &ScriptReader::Hold},
    {"job-name", &ScriptReader::JobName},
    {"licenses", &ScriptReader::Licenses},
    {"mem", &ScriptReader::MemoryPerNode},
    {"mem-per-cpu", &ScriptReader::MemoryPerCpu},
    {"mem-per-gpu", &ScriptReader::MemoryPerGpu},
    {"nice", &ScriptReader::Nice},
    {"nodes", &ScriptReader::Nodes},
    {"ntasks", &ScriptReader::Tasks},
    {"ntasks-per-node", &ScriptReader::TasksPerNode},
    {"partition", &ScriptReader::Partition},
    {"priority", &ScriptReader::Priority},
    {"qos", &ScriptReader::Qos},
    {"reservation", &ScriptReader::Reservation},
    {"time", &ScriptReader::Time},
};

absl::Status ScriptReader::Take(const ScriptOption& option) {
  const Row* found =
      absl::c_find_if(kRows, [&](const Row& row) { return option.name == row.name; });
  if (found != std::end(kRows)) return (this->*found->read)(option);
  Warn(option, "no effect on priority");
  return absl::OkStatus();
}

// The least nodes and tasks that the options permit, as sbatch counts them.
BatchScript ScriptReader::Finish() && {
  v1::Job& job = result_.job;
  double nodes = sizes_.nodes.value_or(1);
  if (!sizes_.nodes.has_value() && sizes_.tasks_per_node.has_value()) {
    nodes = std::ceil(sizes_.ntasks.value_or(1) / *sizes_.tasks_per_node);
  }
  const double tasks = sizes_.ntasks.value_or(nodes * (sizes_.tasks_per_node.value_or(1)));
  Counts gres = sizes_.gpus;
  const auto add = [&](const Counts& counts, double times) {
    for (const auto& [tres, count] : counts) gres[tres] = std::max(gres[tres], count * times);
  };
  add(sizes_.gpus_per_node, nodes);
  add(sizes_.gpus_per_task, tasks);
  add(sizes_.gres_per_node, nodes);
  const auto found = gres.find("gres/gpu");
  const double gpus = found == gres.end() ? 0 : found->second;
  double cpus = std::max(nodes, tasks * sizes_.cpus_per_task);
  if (sizes_.cpus_per_gpu.has_value()) cpus = std::max(cpus, gpus * *sizes_.cpus_per_gpu);
  double memory = sizes_.memory_per_node.value_or(0) * nodes;
  if (sizes_.memory_per_cpu.has_value()) memory = *sizes_.memory_per_cpu * cpus;
  if (sizes_.memory_per_gpu.has_value()) memory = *sizes_.memory_per_gpu * gpus;
  job.set_nodes(static_cast<uint32_t>(nodes));
  job.set_cpus(cpus);
  if (memory > 0) (*job.mutable_tres())["mem"] = memory;
  for (const auto& [tres, count] : gres) (*job.mutable_tres())[tres] = count;
  return std::move(result_);
}

}  // namespace

absl::StatusOr<BatchScript> ReadBatchScript(const std::string& name, absl::string_view content,
                                            absl::Time now, absl::TimeZone zone) {
  const absl::StatusOr<std::vector<ScriptOption>> options = ReadScriptOptions(name, content);
  if (!options.ok()) return options.status();
  ScriptReader reader(name, now, zone);
  for (const ScriptOption& option : *options) {
    if (absl::Status s = reader.Take(option); !s.ok()) return s;
  }
  return std::move(reader).Finish();
}

}  // namespace priorityd::script
