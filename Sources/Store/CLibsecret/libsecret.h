// libsecret, which speaks to the Secret Service; CSecret stands before it.
#pragma once
#include <libsecret/secret.h>
