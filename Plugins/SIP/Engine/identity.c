// Who calls, and why a call ends: headers as they came. SIPCalls reads them.

#include <string.h>

#include "internal.h"

// Adds a line to a text, or leaves it out if it is too long: a part of it could be another number.
static void add_line(char *room, size_t size, const char *name, const struct pl *value) {
    char copy[MAX_HEADER];
    size_t used = strlen(room);
    text_copy(copy, sizeof copy, value);
    if (!*copy || value->l >= sizeof copy || used + strlen(name) + strlen(copy) + 4 > size) return;
    re_snprintf(room + used, size - used, "%s: %s\n", name, copy);
}

// Adds the lines of a header, with all values of each. `instead` stands for one that is too long, unless it is NULL.
static void add_lines(char *room, size_t size, const struct sip_msg *message, const char *name,
                      const struct pl *instead) {
    for (const struct le *at = list_head(&message->hdrl); at; at = at->next) {
        const struct sip_hdr *header = at->data;
        if (pl_strcasecmp(&header->name, name)) continue;
        add_line(room, size, name, instead && header->val.l >= MAX_HEADER ? instead : &header->val);
    }
}

void identity_read(char *room, size_t size, const struct sip_msg *message) {
    static const char *const names[] = {
        "P-Asserted-Identity", "Remote-Party-ID", "P-Preferred-Identity", "Diversion", "History-Info",
    };
    static const struct pl withheld = {"user", 4};
    *room = 0;
    // What asks to be withheld comes first: whoever has no room for anything else is withheld.
    add_lines(room, size, message, "Privacy", &withheld);
    add_line(room, size, "From", &message->from.val);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) add_lines(room, size, message, names[i], NULL);
}

void identity_reason(const struct sip_msg *message, char *room) {
    size_t used = 0;
    *room = 0;
    for (const struct le *at = list_head(&message->hdrl); at && used + 3 < MAX_REASON; at = at->next) {
        const struct sip_hdr *header = at->data;
        if (pl_strcasecmp(&header->name, "Reason")) continue;
        if (used) {
            strcpy(room + used, ", ");
            used += 2;
        }
        text_copy(room + used, MAX_REASON - used, &header->val);
        used += strlen(room + used);
    }
}
