// SQLite, and what Swift cannot call: a macro that is a cast, and a function with any number of arguments.
#pragma once
#include <sqlite3.h>

// Binds a copy of the text.
static inline int ock_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text) {
    return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

// A name in double quotes that no column has is an error, and not a text.
static inline void ock_sqlite_quote_names_only(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
}
