// SQLite, to measure against.
#pragma once
#include <sqlite3.h>
