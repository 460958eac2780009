// Reads libFuzzer's input as a file of vCards.
#include "vcard.h"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ock_vcards *cards = ock_vcards_read(data, size);
    if (!cards) return 0;
    for (size_t card = 0; card < ock_vcards_count(cards); card++) {
        // Each text is read to its end.
        if (strlen(ock_vcard_uid(cards, card)) > 8 * size + 64 || strlen(ock_vcard_name(cards, card)) > 8 * size + 64) abort();
        for (size_t handle = 0; handle < ock_vcard_handle_count(cards, card); handle++) {
            const int kind = ock_vcard_handle_kind(cards, card, handle);
            if (kind < OCK_PHONE || kind > OCK_GENERIC || !*ock_vcard_handle(cards, card, handle)) abort();
            if (strlen(ock_vcard_handle_label(cards, card, handle)) > strlen("mobile")) abort();
        }
    }
    ock_vcards_free(cards);
    return 0;
}
