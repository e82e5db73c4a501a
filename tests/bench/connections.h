// What many connections cost: idle ones, slow ones, and both beside others at work.
#pragma once

#include <functional>
#include <memory>

#include "tests/bench/harness.h"

namespace berglite::bench {

struct Trials {
  double seconds = 2.0;
  int count = 5;
};

// Lets this process and the servers that it starts hold as many connections as the system allows.
void AllowManyFiles();

// Prints figures of a server that has 64 tables in the namespace `bench`.
void PrintConnections(const ServerProcess& server, const Trials& trials);

// Prints how long servers take to end.
void PrintStops(const std::function<std::unique_ptr<ServerProcess>()>& start, int trials);

}  // namespace berglite::bench
