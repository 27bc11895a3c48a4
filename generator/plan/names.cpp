#include "generator/plan/names.hpp"

namespace monomorph::generator {

const char* name_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::embed:
      return "embed";
    case KernelKind::norm:
      return "norm";
    case KernelKind::matvec:
      return "matvec";
    case KernelKind::matmul:
      return "matmul";
    case KernelKind::heads:
      return "heads";
    case KernelKind::attention:
      return "attention";
    case KernelKind::sample:
      return "sample";
  }
  return "";
}

const char* name_of(Access access) {
  switch (access) {
    case Access::read:
      return "read";
    case Access::write:
      return "write";
    case Access::read_write:
      return "read_write";
  }
  return "";
}

const char* name_of(Arena arena) {
  switch (arena) {
    case Arena::activations:
      return "activations";
    case Arena::cache:
      return "cache";
    case Arena::state:
      return "state";
    case Arena::tables:
      return "tables";
  }
  return "";
}

}  // namespace monomorph::generator
