// libcsv behind a few functions of C: all that the Swift code sees of it.
#pragma once
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

// Takes records apart as RFC 4180 has them; blanks around a field do not belong to it. A record begins with a line and may
// go on in others, within a quoted field. What is kept is one record.
typedef struct ock_csv_reader ock_csv_reader;

// What became of a line.
enum ock_csv_result {
    OCK_CSV_RECORD,   // a record ends with it
    OCK_CSV_GOES_ON,  // a quoted field has not ended yet
    OCK_CSV_QUOTE,    // a quote is neither at the ends of a field nor doubled; nothing can be read after that
    OCK_CSV_MEMORY,   // there is none
};

// NULL if there is no memory.
ock_csv_reader *ock_csv_open(unsigned char delimiter);
void ock_csv_close(ock_csv_reader *reader);

// Takes a line, without its end; one of nothing but blanks only where a record goes on.
enum ock_csv_result ock_csv_take(ock_csv_reader *reader, const unsigned char *line, size_t count);

// How many fields the record has that has ended, and the size of each in bytes. A field beyond them is empty.
size_t ock_csv_field_count(const ock_csv_reader *reader);
size_t ock_csv_field_size(const ock_csv_reader *reader, size_t index);
// Copies as much of a field as its size says.
void ock_csv_copy_field(const ock_csv_reader *reader, size_t index, unsigned char *bytes);

// Writes a value in quotes, with each of its own doubled, if there is room for twice its size and two bytes more.
// Returns the size in bytes that it takes.
size_t ock_csv_quote(const unsigned char *value, size_t count, unsigned char *bytes, size_t room);

#ifdef __cplusplus
}
#endif
