#include "lib/store/metrics_rows.h"

#include <utility>

#include "lib/base/limits.h"
#include "lib/store/namespace_text.h"

namespace berglite::store {

Result<std::vector<MetricsRecord>> MetricsRows::List(const EntryKey& table) {
  std::vector<MetricsRecord> reports;
  sqlite::Rows rows = list_.Query(catalog_name_, NamespaceToText(table.name_space), table.name);
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    reports.push_back({table, rows.Integer(0), rows.Text(1)});
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return reports;
}

Status MetricsRows::Add(const std::vector<MetricsRecord>& reports) {
  for (const MetricsRecord& report : reports) {
    std::string name_space = NamespaceToText(report.table.name_space);
    BERGLITE_RETURN_IF_ERROR(insert_.Change(catalog_name_, name_space, report.table.name,
                                            report.received_ms, report.text));
    BERGLITE_RETURN_IF_ERROR(trim_table_.Change(catalog_name_, name_space, report.table.name,
                                                limits::kMetricsPerTableMax));
  }
  return Trim();
}

Status MetricsRows::Trim() {
  int64_t excess = 0;
  {
    sqlite::Rows rows = count_.Query();
    BERGLITE_RETURN_IF_ERROR(rows.Next());
    excess = rows.Integer(0) - limits::kMetricsMax;
  }
  if (excess > 0) BERGLITE_RETURN_IF_ERROR(delete_oldest_.Change(excess));
  return {};
}

}  // namespace berglite::store
