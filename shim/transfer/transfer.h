// Transfer: moves namespaces, tables and views from one catalog into another by their pointers.
//
// No data moves and the source is only read: a table is registered with its metadata location. What
// is there already is left as it is, so a transfer that was cut short is simply run again.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <berglite/catalog.h>
#include <berglite/result.h>

#include "shim/transfer/endpoint.h"

namespace berglite::transfer {

enum class Verdict {
  kMoved,    // is there now, as in the source
  kWould,    // would be moved: this is a dry run
  kPresent,  // was there before, as in the source
  kSkipped,  // is not touched: something else has its name, or another version of it
  kFailed,   // an error
};

struct Outcome {
  enum class Kind { kNamespace, kTable, kView };

  Kind kind = Kind::kTable;
  std::vector<std::string> name = {};  // levels, and the name of a table or view
  Verdict verdict = Verdict::kMoved;
  std::string reason = {};  // of kSkipped and kFailed; what an overwrite has replaced
  // Of a table, on both sides afterwards; -1 where that was not looked at.
  int64_t source_snapshots = -1;
  int64_t target_snapshots = -1;
};

struct TransferOptions {
  // Only these and what is below them; empty: everything.
  std::vector<Namespace> namespaces = {};
  bool dry_run = false;
  // Whether a table that is there at another of its versions gets that of the source.
  bool overwrite = false;
};

// Everything that was looked at, in the order of the source. Errors: those of the first look at the
// source's namespaces; what goes wrong after that is an Outcome.
Result<std::vector<Outcome>> Transfer(Endpoint& source, Endpoint& target,
                                      const TransferOptions& options);

}  // namespace berglite::transfer
