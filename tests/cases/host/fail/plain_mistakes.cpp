// What has nothing to do with shapes is said as Clang says it.
#include "tiny/forward.hpp"

int host() {
  // expect: use of undeclared identifier 'undeclared_number'
  const int present = undeclared_number;
  // expect: cannot initialize a variable of type 'int' with an lvalue of type 'const char[5]'
  int text = "text";
  return present + text;
}
