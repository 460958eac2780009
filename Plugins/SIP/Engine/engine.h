// The engine as a whole: its accounts and calls, its thread and its network. Everything runs on its thread.

#ifndef CSIP_ENGINE_H
#define CSIP_ENGINE_H

#include "bounds.h"
#include "csip.h"
#include "libre.h"

struct engine {
    csip_handler *handler;
    void *context;
    char *software;
    struct dnsc *dns;
    struct list accounts;
    struct list calls;
    uint64_t next_incoming;
    bool is_stopping;
};

extern struct engine engine;

void engine_event(const struct csip_event *event);
void engine_note(uint32_t account, const char *format, ...);
/// Ends the thread if everything is closed.
void engine_check_stopped(void);
/// Reads the name servers of the system anew.
void engine_read_name_servers(void);
/// Moves all accounts and calls to the present addresses.
void engine_network_changed(void);

/// What csip_* functions hand over to the engine's thread (command.c).
int commands_open(void);
void commands_close(void);
void command_stop(uint32_t milliseconds);

/// Watches addresses, routes and sleep (network_watch.c).
int network_watch_open(void);
void network_watch_close(void);

// MARK: Where a server is (lookup.c)

struct lookup;

typedef void lookup_handler(int error, const struct sa *addresses, size_t count, void *argument);

/// Finds addresses by NAPTR, SRV, A and AAAA (RFC 3263), in the order in which they are to be tried. The handler is
/// called later, once; letting go of the lookup before prevents it.
int lookup_start(struct lookup **lookup, const char *host, uint16_t port, enum sip_transp transport,
                 lookup_handler *handler, void *argument);

/// Finds the address of this machine that packets to `remote` come from.
int lookup_source(const struct sa *remote, struct sa *local);

#endif
