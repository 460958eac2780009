// Texts from outside and from the user.

#include <string.h>

#include "internal.h"

// The length of the valid UTF-8 character at `at`, or 0.
static size_t character_length(const uint8_t *at, size_t left) {
    if (at[0] < 0x80) return 1;
    size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || length > left) return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
    }
    if (at[0] == 0xE0 && at[1] < 0xA0) return 0;
    if (at[0] == 0xED && at[1] > 0x9F) return 0;
    if (at[0] == 0xF0 && at[1] < 0x90) return 0;
    if (at[0] == 0xF4 && at[1] > 0x8F) return 0;
    return length;
}

// Controls, and marks that turn the direction of what follows: a name could pass for another one.
static bool is_hidden(const uint8_t *at, size_t length) {
    if (length == 1) return at[0] < 0x20 || at[0] == 0x7F;
    if (length == 2) return at[0] == 0xC2 && at[1] < 0xA0;
    if (length != 3 || at[0] != 0xE2) return false;
    bool is_mark = at[1] == 0x80 && (at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE));
    return is_mark || (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9);
}

void text_copy(char *room, size_t size, const struct pl *text) {
    size_t used = 0;
    for (size_t at = 0; text && text->p && at < text->l;) {
        const uint8_t *bytes = (const uint8_t *)text->p + at;
        size_t length = character_length(bytes, text->l - at);
        at += length ? length : 1;
        if (!length || is_hidden(bytes, length)) continue;
        if (used + length >= size) break;
        memcpy(room + used, bytes, length);
        used += length;
    }
    room[used] = 0;
}

bool text_is_plain(const char *text, size_t longest) {
    size_t length = text ? strnlen(text, longest + 1) : 0;
    if (length > longest) return false;
    for (size_t i = 0; i < length; i++) {
        if ((uint8_t)text[i] < 0x20 || text[i] == 0x7F) return false;
    }
    return true;
}

bool text_is_uri(const char *text) {
    struct uri uri;
    struct pl whole;
    if (!text || !*text || !text_is_plain(text, 512) || strpbrk(text, "<>\" \\")) return false;
    pl_set_str(&whole, text);
    if (uri_decode(&uri, &whole)) return false;
    bool is_sip = !pl_strcasecmp(&uri.scheme, "sip") || !pl_strcasecmp(&uri.scheme, "sips");
    return is_sip && pl_isset(&uri.host);
}

static bool is_space(char sign) {
    return sign == ' ' || sign == '\t' || sign == '\r' || sign == '\n';
}

struct pl text_trimmed(struct pl text) {
    while (text.l && is_space(*text.p)) pl_advance(&text, 1);
    while (text.l && is_space(text.p[text.l - 1])) text.l--;
    return text;
}

bool text_contains(const struct pl *text, const char *word) {
    size_t length = strlen(word);
    for (size_t at = 0; text->p && at + length <= text->l; at++) {
        if (!strncasecmp(text->p + at, word, length)) return true;
    }
    return false;
}

static int print_escaped(struct re_printf *printer, const char *text, const char *plain) {
    int error = 0;
    for (; *text; text++) {
        char letter = *text | 0x20;
        bool is_plain = (*text >= '0' && *text <= '9') || (letter >= 'a' && letter <= 'z') || strchr(plain, *text);
        error |= is_plain ? re_hprintf(printer, "%c", *text) : re_hprintf(printer, "%%%02X", (uint8_t)*text);
    }
    return error;
}

int text_print_header(struct re_printf *printer, const char *text) {
    return print_escaped(printer, text, "-._");
}

int text_print_user(struct re_printf *printer, const char *text) {
    return print_escaped(printer, text, "-_.!~*'()&=+$,;?/");
}

int text_print_quoted(struct re_printf *printer, const char *text) {
    int error = 0;
    for (; *text; text++) error |= re_hprintf(printer, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    return error;
}

char *text_duplicate(const char *text) {
    char *copy = NULL;
    if (text) str_dup(&copy, text);
    return copy;
}

int text_unfold(char **copy, const struct pl *text) {
    int error = pl_strdup(copy, text);
    for (char *at = *copy; !error && *at; at++) {
        if ((uint8_t)*at < 0x20 || *at == 0x7F) *at = ' ';
    }
    return error;
}
