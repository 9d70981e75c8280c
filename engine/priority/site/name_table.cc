#include "engine/priority/site/name_table.h"

namespace priorityd::priority {

NameTable::NameTable()
    : text_(std::make_unique<Text>()), ids_(0, HashOfName{text_.get()}, Equal{text_.get()}) {
  Intern("");
}

NameId NameTable::Intern(absl::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return *found;
  const NameId id = static_cast<NameId>(text_->ends.size());
  text_->chars.append(name.data(), name.size());
  text_->ends.push_back(static_cast<uint32_t>(text_->chars.size()));
  ids_.insert(id);
  return id;
}

void NameTable::ShrinkToFit() {
  text_->chars.shrink_to_fit();
  text_->ends.shrink_to_fit();
}

std::optional<NameId> NameTable::Find(absl::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return *found;
}

}  // namespace priorityd::priority
