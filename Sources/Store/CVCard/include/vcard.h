// vCards behind a few functions of C: all that the Swift code sees of KContacts.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// The cards of one file.
typedef struct ock_vcards ock_vcards;

enum { OCK_PHONE = 0, OCK_EMAIL = 1, OCK_GENERIC = 2 };

// Takes from this process what no reading of cards needs: memory beyond a gigabyte, a minute of processor time, core
// files, and the haste. A file that wants more ends the process.
void ock_vcards_confine(void);

// Reads vCards of any version. NULL if that took too much memory; damaged cards are left out. All texts are UTF-8, valid until
// ock_vcards_free.
ock_vcards *ock_vcards_read(const uint8_t *bytes, size_t count);
void ock_vcards_free(ock_vcards *cards);
size_t ock_vcards_count(const ock_vcards *cards);

// "" if the card has none.
const char *ock_vcard_uid(const ock_vcards *cards, size_t card);
// What the contact is called: the formatted name, or else what the name is made of, the nickname or the organization.
const char *ock_vcard_name(const ock_vcards *cards, size_t card);
// The size of the picture that is in the card, in bytes, and its bytes, of any format; 0 if the card has none in it.
size_t ock_vcard_picture_size(const ock_vcards *cards, size_t card);
void ock_vcard_copy_picture(const ock_vcards *cards, size_t card, uint8_t *bytes);
// The path of the file with the picture; "" if the card names none.
const char *ock_vcard_picture_file(const ock_vcards *cards, size_t card);
size_t ock_vcard_handle_count(const ock_vcards *cards, size_t card);
int ock_vcard_handle_kind(const ock_vcards *cards, size_t card, size_t handle);
const char *ock_vcard_handle(const ock_vcards *cards, size_t card, size_t handle);
// Where a number belongs: home, work, mobile, fax; "" if the card does not say.
const char *ock_vcard_handle_label(const ock_vcards *cards, size_t card, size_t handle);

#ifdef __cplusplus
}
#endif
