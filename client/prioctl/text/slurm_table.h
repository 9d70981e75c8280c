// Tables as Slurm's own tools print them, byte for byte.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_SLURM_TABLE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_SLURM_TABLE_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace priorityd::prioctl {

// The layout of rows.
enum class SlurmLayout {
  kFixedWidth,  // columns of fixed width, a space after each
  kParsable,    // `|` after every field: -p
  kParsable2,   // `|` between fields: -P
};

// A column.
struct SlurmField {
  std::string name;
  int width = 0;      // of the fixed layout, at least 1
  bool left = false;  // text and heading on the left
};

// An amount of which the whole part is printed, however large it is.
struct WholeAmount {
  double amount = 0;
};

// A field's value: blank, text, a whole number, or a number with decimals.
using SlurmCell = std::variant<std::monostate, std::string, uint64_t, double, WholeAmount>;

// Writes the rows of one table. Fixed width: text that is too long ends in `+`,
// a whole number that is too wide is printed whole, a number that is too wide
// for six decimals takes the exponent form that fits.
class SlurmTable {
 public:
  // With `full_precision` numbers with decimals have 17 significant digits and
  // are never shortened. REQUIRES: `out` outlives this.
  SlurmTable(std::vector<SlurmField> fields, SlurmLayout layout, bool full_precision,
             std::ostream* out)
      : fields_(std::move(fields)), layout_(layout), full_precision_(full_precision), out_(out) {}

  // The names; in the fixed layout also the line of dashes.
  void PrintHeader();

  // REQUIRES: one cell per field.
  void PrintRow(const std::vector<SlurmCell>& cells);

 private:
  std::string Number(double value, int width) const;
  // The cell as the layout prints it, without padding.
  std::string Text(const SlurmCell& cell, int width) const;
  void PrintLine(const std::vector<std::string>& texts);

  const std::vector<SlurmField> fields_;
  const SlurmLayout layout_;
  const bool full_precision_;
  std::ostream* const out_;
};

// Cuts text to `width`, the last character then being `+`.
std::string Shorten(const std::string& text, int width);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_SLURM_TABLE_H_
