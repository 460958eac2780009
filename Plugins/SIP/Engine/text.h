// Texts from outside, and texts that go out.

#ifndef CSIP_TEXT_H
#define CSIP_TEXT_H

#include "libre.h"

/// Copies what is valid UTF-8 and neither a control character nor a mark of direction, cut at a character's border.
void text_copy(char *room, size_t size, const struct pl *text);
/// Whether a text can stand in a header: no control characters, at most `longest` bytes.
bool text_is_plain(const char *text, size_t longest);
/// Whether a text is a SIP URI that we can put between `<` and `>`.
bool text_is_uri(const char *text);
/// The text without spaces and ends of lines around it.
struct pl text_trimmed(struct pl text);
/// Prints a name as the user part of a URI, and the value of a URI's header, with their escapes (RFC 3261, 25.1). libre's
/// own escapes are wrong for letters outside of ASCII.
int text_print_user(struct re_printf *printer, const char *text);
int text_print_header(struct re_printf *printer, const char *text);
/// Prints what stands between quotes, with backslashes before quotes and backslashes (RFC 3261, 25.1).
int text_print_quoted(struct re_printf *printer, const char *text);
/// Whether a word stands anywhere in a text, in capitals or not.
bool text_contains(const struct pl *text, const char *word);
char *text_duplicate(const char *text);
/// Copies the value of a header into one line: a space takes the place of each control character. libre leaves folds and
/// single returns in it, which would be headers of the far side's choice in our messages.
int text_unfold(char **copy, const struct pl *text);

#endif
