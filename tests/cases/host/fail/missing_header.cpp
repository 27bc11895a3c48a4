// expect: 'large/forward.hpp' file not found
#include "large/forward.hpp"
