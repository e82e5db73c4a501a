// The rules of the house: what design and style ask of every file, as functions over text.
//
// A rule returns what it finds, so that a test can hand it bad samples; the tree is clean when
// every rule finds nothing in it.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source.h"

namespace berglite::tidy {

struct Finding {
  std::string path;
  size_t line = 0;
  std::string message;
};
using Findings = std::vector<Finding>;

inline void PrintTo(const Finding& finding, std::ostream* out) {
  *out << finding.path << ":" << finding.line << ": " << finding.message;
}

// Layering. A module includes itself and the modules below it; the shim knows the public API only.
Findings CheckLayering(const Source& source);
// Each third-party header has one home, and none is in the public API.
Findings CheckThirdPartyHomes(const Source& source);

// The library neither logs nor prints nor reads the environment, and sees the wall clock and
// randomness through lib/base alone. (A monotonic clock for a deadline is no such sight.)
Findings CheckLibraryManners(const Source& source);
// SQL is written in lib/store and lib/sqlite alone.
Findings CheckSqlHome(const Source& source);
// The JSON keys of metadata documents are written in lib/metadata alone, and where the program
// shows such documents to people or compares them.
Findings CheckMetadataKeyHome(const Source& source);

Findings CheckFunctionLength(const Source& source);
// Marks of unfinished work name their class: TODO(perf).
Findings CheckTodo(const Source& source);
// A header opens with what it is for, and is guarded.
Findings CheckHeaderOpening(const Source& source);
// x.cc includes x.h before all else, which shows that x.h compiles alone. (Headers without a x.cc
// are compiled alone by the build.) `has_header`: whether there is an x.h.
enum class OwnHeader { kNone, kExists };
Findings CheckOwnHeaderFirst(const Source& source, OwnHeader own_header);
// Every header of lib, shim and tests is included by some file.
Findings CheckHeadersAreUsed(const std::vector<Source>& sources);

// For any text file: at most 100 columns, ASCII, no white space at the end of a line or the file.
Findings CheckLines(std::string_view path, std::string_view text);
// No path of a workplace and no host of a package registry: the project builds anywhere.
Findings CheckWorkplaceWords(std::string_view path, std::string_view text);
// The build of a directory names each of its files. `cmake` is the text of its CMakeLists.txt.
Findings CheckIsBuilt(std::string_view path, std::string_view cmake);

}  // namespace berglite::tidy
