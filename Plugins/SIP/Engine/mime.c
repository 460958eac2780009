// Reading MIME. Lines may end with LF alone.

#include "mime.h"
#include "text.h"

#include <errno.h>
#include <string.h>

static bool is_space(char sign) {
    return sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

// Takes a line with its end off `rest`.
static struct pl next_line(struct pl *rest) {
    const char *end = memchr(rest->p, '\n', rest->l);
    struct pl line = {rest->p, end != NULL ? (size_t)(end - rest->p) + 1 : rest->l};
    pl_advance(rest, (ssize_t)line.l);
    return line;
}

// MARK: Headers

// The length of what comes before the first of these signs that stands in no quotes.
static size_t length_before(const struct pl *text, const char *signs) {
    bool is_quoted = false;
    for (size_t i = 0; i < text->l; i++) {
        char sign = text->p[i];
        if (is_quoted && sign == '\\') i++;
        else if (sign == '"') is_quoted = !is_quoted;
        else if (!is_quoted && sign != '\0' && strchr(signs, sign) != NULL) return i;
    }
    return text->l;
}

struct pl mime_value(const struct pl *header) {
    return text_trimmed((struct pl){header->p, length_before(header, ";")});
}

static bool unquote(struct pl value, char *room, size_t size) {
    bool is_quoted = value.l >= 2 && *value.p == '"' && value.p[value.l - 1] == '"';
    size_t used = 0;
    if (is_quoted) value = (struct pl){value.p + 1, value.l - 2};
    for (size_t i = 0; i < value.l; i++) {
        if (is_quoted && value.p[i] == '\\' && i + 1 < value.l) i++;
        if (used + 1 >= size || value.p[i] == '\0') return false;
        room[used++] = value.p[i];
    }
    room[used] = '\0';
    return used > 0;
}

bool mime_parameter(const struct pl *header, const char *name, char *room, size_t size) {
    struct pl rest = *header;
    room[0] = '\0';
    for (;;) {
        pl_advance(&rest, (ssize_t)length_before(&rest, ";"));
        if (rest.l == 0) return false;
        pl_advance(&rest, 1);
        struct pl parameter = {rest.p, length_before(&rest, ";")};
        size_t length = length_before(&parameter, "=");
        struct pl key = text_trimmed((struct pl){parameter.p, length});
        if (length == parameter.l || pl_strcasecmp(&key, name) != 0) continue;
        return unquote(text_trimmed((struct pl){parameter.p + length + 1, parameter.l - length - 1}), room, size);
    }
}

static void read_header(struct mime_part *part, const struct pl *header) {
    const char *colon = pl_strchr(header, ':');
    if (colon == NULL) return;
    struct pl name = text_trimmed((struct pl){header->p, (size_t)(colon - header->p)});
    struct pl value = text_trimmed((struct pl){colon + 1, header->l - (size_t)(colon - header->p) - 1});
    if (pl_strcasecmp(&name, "Content-Type") == 0) part->type = value;
    else if (pl_strcasecmp(&name, "Content-Disposition") == 0) part->disposition = value;
    else if (pl_strcasecmp(&name, "Content-ID") == 0) part->id = value;
    else if (pl_strcasecmp(&name, "Content-Transfer-Encoding") == 0) part->encoding = value;
    else if (pl_strcasecmp(&name, "Content-Encoding") == 0) part->coding = value;
}

// The headers end with an empty line. A line that begins with a space goes on with the one before.
static void read_headers(struct mime_part *part, struct pl *rest) {
    struct pl header = PL_INIT;
    while (rest->l > 0) {
        struct pl line = next_line(rest);
        bool is_empty = text_trimmed(line).l == 0;
        if (!is_empty && header.l > 0 && (*line.p == ' ' || *line.p == '\t')) {
            header.l += line.l;
            continue;
        }
        if (header.l > 0) read_header(part, &header);
        header = line;
        if (is_empty) return;
    }
    if (header.l > 0) read_header(part, &header);
}

// MARK: Parts

// Whether a line stands between parts, or behind the last one.
static bool is_delimiter(const struct mime_parts *parts, const struct pl *line, bool *is_last) {
    size_t length = strlen(parts->boundary);
    if (line->l < length + 2 || memcmp(line->p, "--", 2) != 0) return false;
    if (memcmp(line->p + 2, parts->boundary, length) != 0) return false;
    struct pl rest = {line->p + length + 2, line->l - length - 2};
    bool is_padded = rest.l > 0 && is_space(*rest.p);
    rest = text_trimmed(rest);
    *is_last = !is_padded && pl_strcmp(&rest, "--") == 0;
    return rest.l == 0 || *is_last;
}

// Takes what comes before the next delimiter off the rest, and the delimiter with it. The last part may lack one.
static bool next_text(struct mime_parts *parts, struct pl *text) {
    *text = (struct pl){parts->rest.p, 0};
    while (parts->rest.l > 0) {
        struct pl line = next_line(&parts->rest);
        if (!is_delimiter(parts, &line, &parts->is_over)) {
            text->l += line.l;
            continue;
        }
        // The end of the line before belongs to the delimiter.
        if (text->l > 0 && text->p[text->l - 1] == '\n') text->l--;
        if (text->l > 0 && text->p[text->l - 1] == '\r') text->l--;
        return true;
    }
    parts->is_over = true;
    return false;
}

int mime_open(struct mime_parts *parts, const struct mime_part *whole, const struct pl *parameters) {
    struct pl preamble;
    memset(parts, 0, sizeof *parts);
    parts->rest = whole->content;
    if (!mime_parameter(parameters, "boundary", parts->boundary, sizeof parts->boundary)) return EBADMSG;
    return next_text(parts, &preamble) && !parts->is_over ? 0 : EBADMSG;
}

bool mime_next(struct mime_parts *parts, struct mime_part *part) {
    struct pl text;
    if (parts->is_over) return false;
    next_text(parts, &text);
    memset(part, 0, sizeof *part);
    read_headers(part, &text);
    part->content = text;
    return true;
}

// MARK: Encodings

static int decode_base64(struct mbuf *result, const struct pl *content) {
    struct mbuf *plain = mbuf_alloc(content->l + 1);
    int error = plain != NULL ? 0 : ENOMEM;
    for (size_t i = 0; error == 0 && i < content->l; i++) {
        char sign = content->p[i];
        bool is_known = (sign >= 'A' && sign <= 'Z') || (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9')
            || sign == '+' || sign == '/' || sign == '=';
        if (is_known) error = mbuf_write_u8(plain, (uint8_t)sign);
        else if (!is_space(sign)) error = EBADMSG;
    }
    if (error == 0 && plain->end % 4 != 0) error = EBADMSG;
    size_t size = result->size;
    if (error == 0) error = base64_decode((const char *)plain->buf, plain->end, result->buf, &size);
    if (error == 0) result->end = size;
    mem_deref(plain);
    return error == 0 || error == ENOMEM ? error : EBADMSG;
}

static int hex(char sign) {
    if (sign >= '0' && sign <= '9') return sign - '0';
    if (sign >= 'A' && sign <= 'F') return sign - 'A' + 10;
    return sign >= 'a' && sign <= 'f' ? sign - 'a' + 10 : -1;
}

static int decode_quoted_printable(struct mbuf *result, struct pl rest) {
    int error = 0;
    while (error == 0 && rest.l > 0) {
        if (*rest.p != '=') {
            error = mbuf_write_u8(result, (uint8_t)*rest.p);
            pl_advance(&rest, 1);
            continue;
        }
        struct pl line = {rest.p, rest.l};
        const char *end = memchr(rest.p, '\n', rest.l);
        if (end != NULL) line.l = (size_t)(end - rest.p) + 1;
        struct pl behind = {line.p + 1, line.l - 1};
        // A line that ends with the sign goes on in the next one.
        if (text_trimmed(behind).l == 0) {
            pl_advance(&rest, (ssize_t)line.l);
        } else if (rest.l >= 3 && hex(rest.p[1]) >= 0 && hex(rest.p[2]) >= 0) {
            error = mbuf_write_u8(result, (uint8_t)(hex(rest.p[1]) << 4 | hex(rest.p[2])));
            pl_advance(&rest, 3);
        } else {
            error = EBADMSG;
        }
    }
    return error;
}

int mime_decode(struct mbuf **content, const struct mime_part *part) {
    static const char *const plain[] = {"7bit", "8bit", "binary"};
    struct mbuf *result = mbuf_alloc(part->content.l + 1);
    if (result == NULL) return ENOMEM;
    int error = part->encoding.l > 0 ? ENOTSUP : 0;
    for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
        if (pl_strcasecmp(&part->encoding, plain[i]) == 0) error = 0;
    }
    if (error == 0) error = mbuf_write_mem(result, (const uint8_t *)part->content.p, part->content.l);
    else if (pl_strcasecmp(&part->encoding, "base64") == 0) error = decode_base64(result, &part->content);
    else if (pl_strcasecmp(&part->encoding, "quoted-printable") == 0) {
        error = decode_quoted_printable(result, part->content);
    }
    result->pos = 0;
    if (error != 0) mem_deref(result);
    else *content = result;
    return error;
}
