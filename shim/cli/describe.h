// Documents of the catalog in text for people, and excerpts of them.
//
// The one place of the program that looks into metadata. It reads what is there and leaves out what
// is not: the library has checked the documents.
//
// Threads: functions without state.
#pragma once

#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

namespace berglite::cli {

// LoadTableResult and LoadViewResult of the specification, under the name `name`.
void DescribeTable(std::ostream& out, const std::string& name, const nlohmann::json& loaded);
void DescribeView(std::ostream& out, const std::string& name, const nlohmann::json& loaded);
// GetNamespaceResponse.
void DescribeNamespace(std::ostream& out, const std::string& name, const nlohmann::json& loaded);

// The logs of a table or view as the metadata has them, with the present metadata file.
nlohmann::json HistoryOf(const nlohmann::json& loaded);
void DescribeHistory(std::ostream& out, const nlohmann::json& loaded);

// The figures of a table or view for a list; empty where there is none.
struct Figures {
  std::string format;
  std::string records;
  std::string bytes;
  std::string updated;
  std::string location;
};
Figures FiguresOf(const nlohmann::json& loaded);

}  // namespace berglite::cli
