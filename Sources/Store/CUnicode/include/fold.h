// ICU behind one function of C, for the names of people. libphonenumber brings ICU into the process anyway.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

// A name, UTF-8, without case, width, and the diacritics of Latin, Greek and Cyrillic letters; in composed form. NULL if
// there is no memory. The caller frees it. May be called from any thread.
char *ock_unicode_folded(const char *name);

#ifdef __cplusplus
}
#endif
