#include "runtime/cli/saved_slot.hpp"

#include <filesystem>
#include <system_error>

namespace monomorph::cli {

SavedSlot::SavedSlot(const std::string& path) : path_(path) {
  if (path.empty()) return;
  std::error_code unknown;  // opening it tells what is wrong
  there_ = std::filesystem::exists(path, unknown);
  file_.emplace(path, 0600);  // a conversation is its owner's
}

void SavedSlot::restore(Engine& engine) const {
  if (there_) engine.restore_file(0, path_);
}

void SavedSlot::save(Engine& engine) {
  if (!file_) return;
  file_->write(engine.save(0));
  file_->commit();
  file_.reset();
}

}  // namespace monomorph::cli
