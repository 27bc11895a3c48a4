#include "runtime/cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>

#include "runtime/cli/interrupt.hpp"
#include "runtime/cli/options.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/error.hpp"

namespace monomorph {
namespace {

using namespace cli;

int fail(const Program& program, ErrorKind kind, const std::string& message) {
  print_error(fmt::format("{}: error: {}\n", program.name, message));
  return static_cast<int>(kind);
}

}  // namespace

int run_command_line(int argc, char** argv, const Program& program) {
  try {
    const InterruptGuard guard;
    return read_and_run({argv + std::min(argc, 1), argv + argc}, program);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      return fail(program, error.kind(), fmt::format("a fault of the engine, please report it: {}", error.what()));
    }
    return fail(program, error.kind(), error.what());
  } catch (const Interrupted&) {
    // The guard is gone: the process ends by the signal, of which shells make the same status.
    print_error(fmt::format("{}: interrupted\n", program.name));
    std::raise(SIGINT);
    return 128 + SIGINT;
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(program, ErrorKind::environment, fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(program, ErrorKind::environment, "the host has too little memory");
  } catch (const std::exception& error) {
    return fail(program, ErrorKind::internal, fmt::format("a fault of the engine, please report it: {}", error.what()));
  }
}

}  // namespace monomorph
