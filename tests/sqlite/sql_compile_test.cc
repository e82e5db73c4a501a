// Compiled with BAD_LINE=0, which must work, and with each other number, which must not.

#include <string>

#include "lib/sqlite/connection.h"

namespace berglite::sqlite {

inline Status Try(Connection& connection, const std::string& text, const char* pointer) {
  static constexpr char kText[] = "SELECT 2";
  BERGLITE_RETURN_IF_ERROR(connection.Execute("SELECT 1"));
  BERGLITE_RETURN_IF_ERROR(connection.Execute(kText));
#if BAD_LINE == 1
  BERGLITE_RETURN_IF_ERROR(connection.Execute(text));
#elif BAD_LINE == 2
  BERGLITE_RETURN_IF_ERROR(connection.Execute(pointer));
#elif BAD_LINE == 3
  char array[] = "SELECT 3";
  array[7] = pointer[0];
  BERGLITE_RETURN_IF_ERROR(connection.Execute(array));
#elif BAD_LINE == 4
  BERGLITE_RETURN_IF_ERROR(connection.Execute(Sql("SELECT " + text)));
#endif
  (void)text;
  (void)pointer;
  return {};
}

}  // namespace berglite::sqlite
