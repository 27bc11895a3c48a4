// What a translation unit has of emitted models: the namespaces that declare a `spec_hash` or a `vocab` axis.
#pragma once

#include <clang/Basic/SourceLocation.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace monomorph::generator {

struct SpecHash {
  std::string text;
  clang::SourceLocation location;
};

struct EmittedModels {
  std::vector<SpecHash> spec_hashes;
  std::vector<std::int64_t> vocab_sizes;
  std::vector<clang::SourceLocation>
      library_locations;  ///< one in each folder of emitted headers, one in the runtime's
};

EmittedModels find_emitted_models(clang::ASTContext& context);

}  // namespace monomorph::generator
