// The user's keyring, by libsecret, behind five functions of C: all that the Swift code sees of it.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// How a call ended.
enum {
    OCK_SECRETS_DONE,
    // The keyring is locked, and nobody was asked.
    OCK_SECRETS_LOCKED,
    // The user was asked, and said no, or nobody could be asked.
    OCK_SECRETS_DISMISSED,
    // There is no bus, or no keyring on it that can be used.
    OCK_SECRETS_UNAVAILABLE,
    // The keyring refused, broke off, or does not keep to its protocol.
    OCK_SECRETS_FAILED
};

// The functions below wait for the keyring. Each thread that calls them has a connection of its own to the session bus
// that the environment names, and a session with the keyring in which secrets are encrypted; a keyring that offers no
// such session is not used. Both are opened when they are needed, and again when the keyring has another owner.

// Writes the secrets of an account to room, one after the other: a byte with the length of the key, the key, two bytes
// with the length of the secret, the lower one first, and the secret. Never asks the user. If a key occurs twice, the
// secret that was changed last counts. If there is no default keyring, nothing is known, which is OCK_SECRETS_FAILED.
//
// used: how many of the size bytes of room were written. OCK_SECRETS_FAILED also if there is more.
int ock_secrets_look_up(const char *account, uint8_t *room, size_t size, size_t *used);

// Keeps a secret in the default keyring, in place of the one with the same account and key. A keyring that asks before it
// takes anything, or that has no default keyring yet, asks the user.
int ock_secrets_store(const char *account, const char *key, const uint8_t *secret, size_t size);

// Removes a secret, or with the key "" all of the account's. What is missing is ignored, in a keyring that is there.
int ock_secrets_clear(const char *account, const char *key);

// Asks the user to unlock the default keyring, and every other one that has secrets of OpenCallKit, unless they are
// unlocked.
int ock_secrets_unlock(void);

// Why the last call of this thread did not end with OCK_SECRETS_DONE, for people. Valid until the thread's next call.
const char *ock_secrets_reason(void);

#ifdef __cplusplus
}
#endif
