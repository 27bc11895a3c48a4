// All that an emitted chat template names.
#pragma once

#include "runtime/chat/filters.hpp"
#include "runtime/chat/loop.hpp"
#include "runtime/chat/macro.hpp"
#include "runtime/chat/methods.hpp"
#include "runtime/chat/operators.hpp"
#include "runtime/chat/print.hpp"
