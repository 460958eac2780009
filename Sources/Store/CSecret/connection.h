// A thread's connection to the keyring.
#pragma once
#include <libsecret/secret.h>

// Returns the keyring of this thread, connected and with a session that encrypts; NULL and an error if there is none.
SecretService *ock_connection_service(GError **error);

// Returns how a call ended, and frees the error, if there is one. After an error, the next call connects anew.
int ock_connection_end(GError *error);
