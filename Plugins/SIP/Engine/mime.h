// Parts of a body as they are written (MIME: RFC 2045, RFC 2046): where they begin and end, their headers, their
// encodings. What they mean is decided elsewhere.

#ifndef CSIP_MIME_H
#define CSIP_MIME_H

#include "libre.h"

/// The longest parameter that is read, with a zero; RFC 2046 allows 70 signs for a boundary.
enum { MIME_MAXIMUM_PARAMETER = 128 };

/// A part, or the body of a message. What its headers do not say is empty.
struct mime_part {
    /// The values of Content-Type, Content-Disposition, Content-ID, Content-Transfer-Encoding and Content-Encoding.
    struct pl type, disposition, id, encoding, coding;
    struct pl content;
};

/// Where the reader is.
struct mime_parts {
    struct pl rest;
    char boundary[MIME_MAXIMUM_PARAMETER];
    bool is_over;
};

/// Begins to read the parts of a body.
/// @param parameters those of its Content-Type, from the first semicolon on.
/// @returns EBADMSG if there is no boundary, or no part.
int mime_open(struct mime_parts *parts, const struct mime_part *whole, const struct pl *parameters);

/// Reads the next part.
/// @returns whether there is one.
bool mime_next(struct mime_parts *parts, struct mime_part *part);

/// The value of a header without its parameters.
struct pl mime_value(const struct pl *header);

/// Reads a parameter of a header without its quotes.
/// @returns whether it is there and has room.
bool mime_parameter(const struct pl *header, const char *name, char *room, size_t size);

/// Copies the content without its transfer encoding.
/// @returns ENOTSUP if that is not known; EBADMSG if the content does not have it.
int mime_decode(struct mbuf **content, const struct mime_part *part);

#endif
