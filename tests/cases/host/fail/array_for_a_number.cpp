// Values beside a number: what is given is told before what is required, in Clang's words.
#include "tiny/model.hpp"

long host() {
  float scratch[8] = {};
  // expect: cannot initialize a variable of type 'long' with an lvalue of type 'float[8]'
  long position = scratch;
  return position;
}
