#include "tiny/forward.hpp"

void host(tiny::Sequence& sequence) {
  // expect: decode: its result is thrown away; it is all that the call is for
  sequence.decode(1);
}
