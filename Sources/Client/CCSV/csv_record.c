// The reader of records, with libcsv.

#include "csv_record.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

struct ock_csv_reader {
    struct csv_parser parser;
    // The fields of a record one after another, and the end of each.
    unsigned char *bytes;
    size_t size, room;
    size_t *ends;
    size_t count, places;
    int has_ended, has_failed;
};

// Returns memory for at least `needed` elements with the present contents; NULL if memory is exhausted.
static void *grow(void *memory, size_t *room, size_t needed, size_t element) {
    if (needed <= *room) return memory;
    size_t wanted = needed * 2 + 16;
    void *grown = realloc(memory, wanted * element);
    if (grown != NULL) *room = wanted;
    return grown;
}

static void take_field(void *field, size_t size, void *context) {
    ock_csv_reader *reader = context;
    // One byte more, so that an empty field has memory as well.
    unsigned char *bytes = grow(reader->bytes, &reader->room, reader->size + size + 1, 1);
    if (bytes != NULL) reader->bytes = bytes;
    size_t *ends = grow(reader->ends, &reader->places, reader->count + 1, sizeof *ends);
    if (ends != NULL) reader->ends = ends;
    if (bytes == NULL || ends == NULL) {
        reader->has_failed = 1;
        return;
    }
    if (size > 0) memcpy(bytes + reader->size, field, size);
    reader->size += size;
    ends[reader->count++] = reader->size;
}

static void take_end(int terminator, void *context) {
    (void)terminator;
    ock_csv_reader *reader = context;
    reader->has_ended = 1;
}

// A carriage return within a line does not end it, so that lines are counted as elsewhere.
static int ends_line(unsigned char byte) { return byte == CSV_LF; }

ock_csv_reader *ock_csv_open(unsigned char delimiter) {
    ock_csv_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    if (csv_init(&reader->parser, CSV_STRICT) != 0) {
        free(reader);
        return NULL;
    }
    csv_set_delim(&reader->parser, delimiter);
    csv_set_term_func(&reader->parser, ends_line);
    return reader;
}

void ock_csv_close(ock_csv_reader *reader) {
    csv_free(&reader->parser);
    free(reader->bytes);
    free(reader->ends);
    free(reader);
}

static enum ock_csv_result parse(ock_csv_reader *reader, const unsigned char *bytes, size_t count) {
    size_t taken = csv_parse(&reader->parser, bytes, count, take_field, take_end, reader);
    if (reader->has_failed) return OCK_CSV_MEMORY;
    if (taken < count) return csv_error(&reader->parser) == CSV_EPARSE ? OCK_CSV_QUOTE : OCK_CSV_MEMORY;
    return reader->has_ended ? OCK_CSV_RECORD : OCK_CSV_GOES_ON;
}

enum ock_csv_result ock_csv_take(ock_csv_reader *reader, const unsigned char *line, size_t count) {
    if (reader->has_ended) {
        reader->has_ended = 0;
        reader->count = reader->size = 0;
    }
    enum ock_csv_result result = count > 0 ? parse(reader, line, count) : OCK_CSV_GOES_ON;
    if (result != OCK_CSV_GOES_ON) return result;
    return parse(reader, (const unsigned char *)"\n", 1);
}

size_t ock_csv_field_count(const ock_csv_reader *reader) { return reader->count; }

static size_t start(const ock_csv_reader *reader, size_t index) { return index == 0 ? 0 : reader->ends[index - 1]; }

size_t ock_csv_field_size(const ock_csv_reader *reader, size_t index) {
    return index < reader->count ? reader->ends[index] - start(reader, index) : 0;
}

void ock_csv_copy_field(const ock_csv_reader *reader, size_t index, unsigned char *bytes) {
    size_t size = ock_csv_field_size(reader, index);
    if (size > 0) memcpy(bytes, reader->bytes + start(reader, index), size);
}

size_t ock_csv_quote(const unsigned char *value, size_t count, unsigned char *bytes, size_t room) {
    return csv_write(bytes, room, value, count);
}
