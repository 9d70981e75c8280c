#include "client/prioctl/text/table.h"

#include <libsmartcols/libsmartcols.h>

#include <cstdlib>
#include <memory>

namespace priorityd::prioctl {
namespace {

struct TableDeleter {
  void operator()(libscols_table* table) const { scols_unref_table(table); }
};

}  // namespace

void Table::Print(std::ostream& out) const {
  if (rows_.empty()) return;
  const std::unique_ptr<libscols_table, TableDeleter> table(scols_new_table());
  scols_table_set_termforce(table.get(), SCOLS_TERMFORCE_NEVER);
  for (const Column& column : columns_) {
    scols_table_new_column(table.get(), column.name.c_str(), 0, column.right ? SCOLS_FL_RIGHT : 0);
  }
  for (const std::vector<std::string>& cells : rows_) {
    libscols_line* line = scols_table_new_line(table.get(), nullptr);
    for (size_t i = 0; i < cells.size(); ++i) scols_line_set_data(line, i, cells[i].c_str());
  }
  char* text = nullptr;
  if (scols_print_table_to_string(table.get(), &text) == 0 && text != nullptr) out << text << '\n';
  std::free(text);
}

}  // namespace priorityd::prioctl
