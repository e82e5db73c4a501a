// The version of berglite, as in the package and in `berglite --version`.
#pragma once

#define BERGLITE_VERSION_MAJOR 0
#define BERGLITE_VERSION_MINOR 1
#define BERGLITE_VERSION_PATCH 0
#define BERGLITE_VERSION "0.1.0"
