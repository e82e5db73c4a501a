#include "shim/rest/metrics.h"

#include <algorithm>
#include <string_view>

#include "berglite/version.h"

namespace berglite::rest {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

std::string_view NameOf(size_t index) {
  return index < kOperationCount ? Operations()[index].id : "none";
}

// Ends with the digits of microseconds, whatever the locale.
std::string Seconds(uint64_t microseconds) {
  std::string digits = std::to_string(microseconds % 1'000'000);
  return std::to_string(microseconds / 1'000'000) + "." + std::string(6 - digits.size(), '0') +
         digits;
}

void AppendHead(std::string& text, std::string_view name, std::string_view type,
                std::string_view help) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void AppendSample(std::string& text, std::string_view name, std::string_view labels,
                  std::string_view value) {
  text.append(name);
  if (!labels.empty()) text.append("{").append(labels).append("}");
  text.append(" ").append(value).append("\n");
}

void AppendValue(std::string& text, std::string_view name, std::string_view type, uint64_t value,
                 std::string_view help) {
  AppendHead(text, name, type, help);
  AppendSample(text, name, "", std::to_string(value));
}

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

void AppendCatalog(std::string& text, const Counters& counters) {
  const auto count = [&](std::string_view name, uint64_t value, std::string_view help) {
    AppendValue(text, name, "counter", value, help);
  };
  count("berglite_commits_total", counters.commits, "Changes of tables and views that are made.");
  count("berglite_commit_conflicts_total", counters.commit_conflicts,
        "Changes refused because a requirement did not hold.");
  count("berglite_commit_races_lost_total", counters.commit_races_lost,
        "Times that a change was overtaken and started over.");
  count("berglite_metadata_cache_hits_total", counters.metadata_cache_hits,
        "Metadata documents that were at hand.");
  count("berglite_metadata_cache_misses_total", counters.metadata_cache_misses,
        "Metadata documents that were read from their files.");
  count("berglite_write_lock_waits_total", counters.busy_waits,
        "Groups of writes that waited for another process.");
  AppendValue(text, "berglite_write_queue_length", "gauge", counters.waiting_writes,
              "Writes that wait for their group now.");
  AppendHead(text, "berglite_write_group_size", "summary", "Writes that went to disk together.");
  AppendSample(text, "berglite_write_group_size_sum", "", std::to_string(counters.grouped_writes));
  AppendSample(text, "berglite_write_group_size_count", "", std::to_string(counters.write_groups));
  if (!counters.owed_purges) return;
  AppendValue(text, "berglite_owed_purges", "gauge", *counters.owed_purges,
              "Dropped tables whose files are still to be removed.");
}

}  // namespace

void Metrics::Count(const Operation* operation, int status, std::chrono::microseconds duration) {
  const size_t index =
      operation == nullptr ? kOperationCount : static_cast<size_t>(operation - Operations().data());
  Requests& requests = requests_[index];
  const int known = std::clamp(status, kStatusMin, kStatusMax);
  requests.by_status[static_cast<size_t>(known - kStatusMin)].fetch_add(1, kRelaxed);
  const auto bound = std::lower_bound(kBoundsUs.begin(), kBoundsUs.end(), duration.count());
  requests.by_duration[static_cast<size_t>(bound - kBoundsUs.begin())].fetch_add(1, kRelaxed);
  requests.duration_us.fetch_add(static_cast<uint64_t>(duration.count()), kRelaxed);
}

void Metrics::AppendRequests(std::string& text) const {
  AppendHead(text, "berglite_requests_total", "counter",
             "Requests answered, by the specification's operation and the status.");
  for (size_t i = 0; i < requests_.size(); ++i) {
    for (size_t status = 0; status < requests_[i].by_status.size(); ++status) {
      const uint64_t count = requests_[i].by_status[status].load(kRelaxed);
      if (count == 0) continue;
      AppendSample(text, "berglite_requests_total",
                   Label("operation", NameOf(i)) + "," +
                       Label("status", std::to_string(status + kStatusMin)),
                   std::to_string(count));
    }
  }
}

// The count is that of the last bucket rather than one of its own: the two must agree.
void Metrics::AppendDurations(std::string& text) const {
  AppendHead(text, "berglite_request_duration_seconds", "histogram",
             "How long requests took, from when they were read to when the answer was made.");
  for (size_t i = 0; i < requests_.size(); ++i) {
    std::array<uint64_t, kBoundsUs.size() + 1> up_to = {};
    uint64_t count = 0;
    for (size_t bound = 0; bound < up_to.size(); ++bound) {
      up_to[bound] = count += requests_[i].by_duration[bound].load(kRelaxed);
    }
    if (count == 0) continue;
    const std::string operation = Label("operation", NameOf(i));
    for (size_t bound = 0; bound < up_to.size(); ++bound) {
      const std::string limit =
          bound < kBoundsUs.size() ? Seconds(static_cast<uint64_t>(kBoundsUs[bound])) : "+Inf";
      AppendSample(text, "berglite_request_duration_seconds_bucket",
                   operation + "," + Label("le", limit), std::to_string(up_to[bound]));
    }
    AppendSample(text, "berglite_request_duration_seconds_sum", operation,
                 Seconds(requests_[i].duration_us.load(kRelaxed)));
    AppendSample(text, "berglite_request_duration_seconds_count", operation, std::to_string(count));
  }
}

std::string Metrics::Text(const Counters& counters,
                          const std::atomic<size_t>* open_connections) const {
  std::string text;
  AppendHead(text, "berglite_build_info", "gauge", "Always 1; the version is a label.");
  AppendSample(text, "berglite_build_info", Label("version", BERGLITE_VERSION), "1");
  if (open_connections != nullptr) {
    AppendValue(text, "berglite_open_connections", "gauge", open_connections->load(kRelaxed),
                "Connections of clients that are open now.");
  }
  AppendCatalog(text, counters);
  AppendRequests(text);
  AppendDurations(text);
  return text;
}

}  // namespace berglite::rest
