// libcsv as a few functions for Swift.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

// Reads records as in RFC 4180; blanks around a field are removed. A record begins with a line, and a quoted field may
// continue it in further lines. The reader keeps one record.
typedef struct ock_csv_reader ock_csv_reader;

// The result of reading a line.
enum ock_csv_result {
    OCK_CSV_RECORD,   // the line ends a record
    OCK_CSV_GOES_ON,  // a quoted field has not ended
    OCK_CSV_QUOTE,    // a quote is neither at the ends of a field nor doubled; reading cannot continue
    OCK_CSV_MEMORY,   // out of memory
};

// Returns NULL if memory is exhausted.
ock_csv_reader *ock_csv_open(unsigned char delimiter);
void ock_csv_close(ock_csv_reader *reader);

// Reads a line, without its end. A line of blanks is allowed only within a record.
enum ock_csv_result ock_csv_take(ock_csv_reader *reader, const unsigned char *line, size_t count);

// Returns the number of fields of the last record, and the size of each in bytes; 0 for a field beyond them.
size_t ock_csv_field_count(const ock_csv_reader *reader);
size_t ock_csv_field_size(const ock_csv_reader *reader, size_t index);
// Copies a field, which has the size above.
void ock_csv_copy_field(const ock_csv_reader *reader, size_t index, unsigned char *bytes);

// Writes a value in quotes, with its own quotes doubled. `room` must be twice the value's size and two bytes.
// Returns the number of bytes written.
size_t ock_csv_quote(const unsigned char *value, size_t count, unsigned char *bytes, size_t room);

#ifdef __cplusplus
}
#endif
