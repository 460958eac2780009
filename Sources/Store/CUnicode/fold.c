// Folds names: what case, width and composition mean is Unicode's to say.
#include "fold.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

// In the scripts before Armenian a diacritic changes a letter; in later ones it may make another one.
static const UChar32 first_armenian = 0x530;

// The text in another form, and its length in *length. Frees the text, which may be NULL.
static UChar *normalized(UChar *text, int32_t *length, const UNormalizer2 *form) {
    UErrorCode error = U_ZERO_ERROR;
    int32_t needed = text ? unorm2_normalize(form, text, *length, NULL, 0, &error) : 0;
    UChar *result = text ? malloc(((size_t)needed + 1) * sizeof(UChar)) : NULL;
    error = U_ZERO_ERROR;
    if (result) *length = unorm2_normalize(form, text, *length, result, needed + 1, &error);
    free(text);
    return result;
}

static int32_t without_diacritics(UChar *text, int32_t length) {
    int32_t kept = 0;
    UChar32 letter = 0;
    for (int32_t next = 0; next < length;) {
        UChar32 character;
        U16_NEXT(text, next, length, character);
        if (u_charType(character) != U_NON_SPACING_MARK) {
            letter = character;
        } else if (letter < first_armenian) {
            continue;
        }
        U16_APPEND_UNSAFE(text, kept, character);
    }
    return kept;
}

char *ock_unicode_folded(const char *name) {
    UErrorCode error = U_ZERO_ERROR;
    const UNormalizer2 *folding = unorm2_getNFKCCasefoldInstance(&error);
    const UNormalizer2 *decomposing = unorm2_getNFDInstance(&error);
    const UNormalizer2 *composing = unorm2_getNFCInstance(&error);
    size_t bytes = strlen(name);
    if (U_FAILURE(error) || bytes > 1 << 24) return NULL;

    // A text has at most as many units in UTF-16 as in UTF-8, and at most three times as many the other way.
    int32_t length = 0;
    UChar *text = malloc((bytes + 1) * sizeof(UChar));
    if (text) u_strFromUTF8WithSub(text, (int32_t)bytes, &length, name, (int32_t)bytes, 0xFFFD, NULL, &error);
    text = normalized(text, &length, folding);
    text = normalized(text, &length, decomposing);
    if (text) length = without_diacritics(text, length);
    text = normalized(text, &length, composing);
    char *folded = text ? malloc((size_t)length * 3 + 1) : NULL;
    if (folded) u_strToUTF8(folded, length * 3 + 1, NULL, text, length, &error);
    free(text);
    return folded;
}
