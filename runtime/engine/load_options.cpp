#include "runtime/engine/load_options.hpp"

namespace monomorph {

HostWeights open_weights(const Program& program, const LoadOptions& options) {
  return options.random_weights ? HostWeights::random(program, options.random_seed)
                                : HostWeights::open(program, options.weights_path);
}

}  // namespace monomorph
