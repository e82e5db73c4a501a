// `berglite healthcheck`: asks a server whether it is ready, for images without a shell and curl.
#pragma once

#include <string>

#include <berglite/result.h>

namespace berglite::cli {

// Success where a GET of the URL is answered with 2xx within five seconds. Without a path in it the
// URL is that of the server, and /readyz is asked. Errors, each naming the URL: kInvalidArgument
// where it is none that starts with http://; kUnavailable.
Status CheckHealth(const std::string& url);

// The health checks of compose files call `curl`. Where the program is found under that name, it
// does what they want of it: the exit code of `curl --fail URL`. Options are not looked at.
bool IsCalledCurl(const char* program);
int RunAsCurl(int argc, char** argv);

}  // namespace berglite::cli
