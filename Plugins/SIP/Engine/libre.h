// libre and librem, which need their configuration told.

#ifndef CSIP_LIBRE_H
#define CSIP_LIBRE_H

#include <stdbool.h>
#include <stdint.h>
#ifndef HAVE_STDBOOL_H
#define HAVE_STDBOOL_H 1
#endif
#include <re.h>
#include <rem.h>

#endif
