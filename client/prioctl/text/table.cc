#include "client/prioctl/text/table.h"

#include <libsmartcols/libsmartcols.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace priorityd::prioctl {
namespace {

struct TableDeleter {
  void operator()(libscols_table* table) const { scols_unref_table(table); }
};

// `text` in lines of at most `most` bytes, where its words are no longer; 0 = one line.
std::vector<std::string> Wrapped(const std::string& text, size_t most) {
  if (most == 0 || text.size() <= most) return {text};
  std::vector<std::string> lines(1);
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = std::string(word);
    } else if (line.size() + 1 + word.size() <= most) {
      absl::StrAppend(&line, " ", word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

void AddLines(const std::vector<Column>& columns, const std::vector<std::string>& cells,
              libscols_table* table) {
  std::vector<std::vector<std::string>> wrapped;
  size_t height = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(Wrapped(cells[i], columns[i].wrap));
    height = std::max(height, wrapped.back().size());
  }
  for (size_t row = 0; row < height; ++row) {
    libscols_line* line = scols_table_new_line(table, nullptr);
    for (size_t i = 0; i < cells.size(); ++i) {
      scols_line_set_data(line, i, row < wrapped[i].size() ? wrapped[i][row].c_str() : "");
    }
  }
}

}  // namespace

void Table::Print(std::ostream& out) const {
  if (rows_.empty()) return;
  const std::unique_ptr<libscols_table, TableDeleter> table(scols_new_table());
  scols_table_set_termforce(table.get(), SCOLS_TERMFORCE_NEVER);
  for (const Column& column : columns_) {
    scols_table_new_column(table.get(), column.name.c_str(), 0, column.right ? SCOLS_FL_RIGHT : 0);
  }
  for (const std::vector<std::string>& cells : rows_) AddLines(columns_, cells, table.get());
  char* text = nullptr;
  if (scols_print_table_to_string(table.get(), &text) == 0 && text != nullptr) out << text << '\n';
  std::free(text);
}

}  // namespace priorityd::prioctl
