// The file of `run --prompt-cache` and `chat --save-state`: what is there is restored, what is left is saved.
#pragma once

#include <optional>
#include <string>

#include "runtime/engine/engine.hpp"
#include "runtime/formats/atomic_file.hpp"

namespace monomorph::cli {

/// Of slot 0. The file is opened for writing at once, so that a place that cannot be written is told before anything is
/// computed; it changes when `save` has written it whole, and else not at all.
class SavedSlot {
 public:
  /// `path` may be empty: then nothing is restored or saved. Throws Error(environment).
  explicit SavedSlot(const std::string& path);

  bool wanted() const { return !path_.empty(); }
  /// Nothing where there is no such file yet. Throws what Engine::restore_file does.
  void restore(Engine& engine) const;
  /// Once at most. Throws what Engine::save and AtomicFile do.
  void save(Engine& engine);

 private:
  std::string path_;
  bool there_ = false;
  std::optional<AtomicFile> file_;
};

}  // namespace monomorph::cli
