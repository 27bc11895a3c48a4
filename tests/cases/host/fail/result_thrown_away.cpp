#include "tiny/engine.hpp"

void host(tiny::Engine& engine) {
  // expect: decode: its result is thrown away; it is all that the call is for
  engine.decode(1);
}
