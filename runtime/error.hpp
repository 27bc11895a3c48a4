// The one exception that the runtime throws, and that the generator takes for a mistake of the user's.
#pragma once

#include <stdexcept>
#include <string>

namespace monomorph {

/// What went wrong, in the order of the exit statuses of the command line.
enum class ErrorKind { rejected = 1, environment = 2, internal = 3, device = 4 };

/// An error whose message names the place and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace monomorph
