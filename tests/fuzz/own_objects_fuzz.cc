#include <string>

#include "engine/grants/price_lines.h"
#include "server/administration/imports/own_objects.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::administration {
namespace {

using slurm::Check;

void RunOne(const std::string& given) {
  const absl::StatusOr<OwnObjects> objects = ReadOwnObjects({"own", given});
  slurm::CheckStatus(objects.status());
  slurm::CheckStatus(grants::ReadPriceBooks({"own", given}).status());
  if (!objects.ok()) return;
  const std::string text = WriteOwnObjects(*objects);
  const absl::StatusOr<OwnObjects> again = ReadOwnObjects({"own", text});
  Check(again.ok(), "what is written can be read");
  Check(again->grants.size() == objects->grants.size() &&
            again->price_books.size() == objects->price_books.size() &&
            again->leases.size() == objects->leases.size() &&
            again->aliases.size() == objects->aliases.size(),
        "nothing is lost");
  Check(WriteOwnObjects(*again) == text, "what was read again is written the same");
}

[[maybe_unused]] const bool registered = fuzz::Register({"own_objects", RunOne});

}  // namespace
}  // namespace priorityd::administration
