// Metrics reports of clients.
#include "lib/catalog/names.h"
#include "lib/catalog/operation.h"
#include "lib/catalog/sqlite_catalog.h"

namespace berglite::catalog {

using store::Reader;

Status SqliteCatalog::ReportMetrics(const TableIdentifier& table, const Document& request) {
  BERGLITE_RETURN_IF_ERROR(GetString(DocumentAccess::Dom(request), "report-type"));
  if (request.text().size() > limits::kMetricsReportBytesMax) {
    return Error{ErrorKind::kInvalidArgument,
                 "Cannot keep a metrics report of " + std::to_string(request.text().size()) +
                     " bytes: past the limit of " + std::to_string(limits::kMetricsReportBytesMax)};
  }
  BERGLITE_ASSIGN_OR_RETURN(bool exists, TableExists(table));
  if (!exists) return NoSuchEntry(store::EntryKind::kTable, table);
  metrics_.Add({KeyOf(table), environment_.NowMs(), request.text()});
  return {};
}

Result<std::vector<MetricsReport>> SqliteCatalog::ListMetrics(const TableIdentifier& table) {
  BERGLITE_ASSIGN_OR_RETURN(bool exists, TableExists(table));
  if (!exists) return NoSuchEntry(store::EntryKind::kTable, table);
  BERGLITE_RETURN_IF_ERROR(metrics_.Flush());
  std::vector<MetricsReport> reports;
  BERGLITE_RETURN_IF_ERROR(store_->Read([&](Reader& reader) -> Status {
    BERGLITE_ASSIGN_OR_RETURN(std::vector<store::MetricsRecord> records,
                              reader.ListMetrics(KeyOf(table)));
    for (store::MetricsRecord& record : records) {
      reports.push_back(
          {record.received_ms, DocumentAccess::FromTrustedText(std::move(record.text))});
    }
    return {};
  }));
  return reports;
}

}  // namespace berglite::catalog
