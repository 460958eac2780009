// libphonenumber behind a few functions of C: all that the Swift code sees of it.
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// Loads what libphonenumber needs, which takes some milliseconds the first time.
void ock_phone_prepare(void);

// The E.164 form of a number as people or networks write it, as the integer after the plus sign; 0 if it is none.
// text: UTF-8, at most 250 bytes. region: where a national number is dialed, such as "SE"; "ZZ" accepts international ones
// only. May be called from any thread.
uint64_t ock_phone_e164(const char *text, const char *region);

// Whether one of two numbers may be the other without what networks leave out, such as the country code or the 9 of mobile
// numbers of Argentina: one ends like the other, and their country codes are not different. Arguments as before.
int ock_phone_may_be_same(const char *one, const char *other);

#ifdef __cplusplus
}
#endif
