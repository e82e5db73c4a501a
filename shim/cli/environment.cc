#include "shim/cli/environment.h"

#include <cstdlib>

namespace berglite::cli {

std::string FromEnvironment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
  return value == nullptr ? "" : value;
}

}  // namespace berglite::cli
