// The signalling half. Everything in it runs on the engine's thread.

#ifndef CSIP_INTERNAL_H
#define CSIP_INTERNAL_H

#include "account.h"
#include "body.h"
#include "bounds.h"
#include "call.h"
#include "csip.h"
#include "dialog.h"
#include "engine.h"
#include "libre.h"
#include "stream.h"
#include "text.h"
#include "transfer.h"

#endif
