// Pages of lists: opaque tokens that name the last entry seen, so that a list stays whole while
// others create and drop.
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berglite/catalog.h"
#include "berglite/result.h"

namespace berglite::catalog {

// What to ask the store for.
struct PageRequest {
  std::optional<std::string> after;  // the last name of the page before
  size_t size = 0;                   // 0: everything

  // One more than the page holds, to see whether there is a next one.
  size_t fetch_size() const { return size == 0 ? 0 : size + 1; }
};

// Errors: kInvalidArgument for a page size below 1 and for a token that this catalog never gave.
Result<PageRequest> ParsePage(const ListOptions& options);

// Cuts `names`, fetched with one entry more than the page holds, to the page; returns the token of
// the next page, or nullopt where this is the last.
std::optional<std::string> CutToPage(const PageRequest& page, std::vector<std::string>& names);

}  // namespace berglite::catalog
