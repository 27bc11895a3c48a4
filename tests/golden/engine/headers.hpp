// What every emitted program includes, compiled before the engines of all goldens.
#include "runtime/engine/engine.hpp"
#include "runtime/load/load.hpp"
#include "runtime/reference/ops.hpp"
