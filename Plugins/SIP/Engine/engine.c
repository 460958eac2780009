// The engine: one thread that runs libre's loop. Commands come in through a queue, events go out on the thread.

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DEBUG_MODULE "csip"
#define DEBUG_LEVEL 5
#include <re_dbg.h>

struct engine engine;

static pthread_t thread;
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t state_changed = PTHREAD_COND_INITIALIZER;
static bool is_running, has_started;
static int start_error;

bool rate_allows(struct rate *rate, unsigned most) {
    uint64_t now = tmr_jiffies();
    if (now - rate->since >= 1000) {
        rate->since = now;
        rate->count = 0;
    }
    return ++rate->count <= most;
}

void engine_event(const struct csip_event *event) {
    engine.handler(event, engine.context);
}

void engine_note(uint32_t account, const char *format, ...) {
    char text[MAX_TEXT * 2];
    va_list arguments;
    va_start(arguments, format);
    re_vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    engine_event(&(struct csip_event){.kind = CSIP_NOTE, .account = account, .text = text});
}

// libre's own messages: they have colours and no account.
static void library_message(int level, const char *text, size_t length, void *argument) {
    (void)argument;
    static struct rate words;
    char room[MAX_TEXT];
    struct pl message = {text, length};
    text_copy(room, sizeof room, &message);
    if (level <= DBG_WARNING && engine.handler && rate_allows(&words, MAX_WORDS)) engine_note(0, "libre: %s", room);
}

void engine_read_name_servers(void) {
    struct sa servers[4];
    uint32_t count = sizeof servers / sizeof servers[0];
    char domain[256] = "";
    if (dns_srv_get(domain, sizeof domain, servers, &count)) count = 0;
    if (engine.dns) {
        dnsc_srv_set(engine.dns, servers, count);
    } else if (dnsc_alloc(&engine.dns, NULL, servers, count)) {
        engine_note(0, "There is no name resolution.");
    }
}

void engine_network_changed(void) {
    if (engine.is_stopping) return;
    engine_read_name_servers();
    for (struct le *at = engine.accounts.head, *next; at; at = next) {
        next = at->next;
        registration_network_changed(at->data);
    }
}

void engine_check_stopped(void) {
    if (engine.is_stopping && list_isempty(&engine.accounts)) re_cancel();
}

static int open_all(void) {
    int error = libre_init();
    if (error) return error;
    fd_setsize(MAX_DESCRIPTORS);
    dbg_init(DBG_WARNING, DBG_NONE);
    dbg_handler_set(library_message, NULL);
    list_init(&engine.accounts);
    list_init(&engine.calls);
    engine.next_incoming = 1ull << 63;
    engine.is_stopping = false;
    engine_read_name_servers();
    error = commands_open();
    if (!error) error = media_init();
    if (!error && network_watch_open()) engine_note(0, "Changes of the network are not seen.");
    return error;
}

// Frees what the end could not wait for.
static void close_all(void) {
    while (engine.calls.head) {
        struct call *call = engine.calls.head->data;
        call_finish(call, 0, ECANCELED, NULL);
    }
    while (engine.accounts.head) mem_deref(engine.accounts.head->data);
    network_watch_close();
    media_close();
    commands_close();
    engine.dns = mem_deref(engine.dns);
    dbg_handler_set(NULL, NULL);
    libre_close();
}

static void tell_started(int error) {
    pthread_mutex_lock(&state_lock);
    start_error = error;
    has_started = true;
    pthread_cond_signal(&state_changed);
    pthread_mutex_unlock(&state_lock);
}

static void *run(void *argument) {
    (void)argument;
    int error = open_all();
    tell_started(error);
    if (!error) re_main(NULL);
    close_all();
    return NULL;
}

int csip_start(const char *software, csip_handler *handler, void *context) {
    if (!handler) return EINVAL;
    pthread_mutex_lock(&state_lock);
    if (is_running) {
        pthread_mutex_unlock(&state_lock);
        return EALREADY;
    }
    memset(&engine, 0, sizeof engine);
    engine.handler = handler;
    engine.context = context;
    engine.software = strdup(text_is_plain(software, 64) && software ? software : "OpenCallKit");
    has_started = false;
    int error = pthread_create(&thread, NULL, run, NULL);
    while (!error && !has_started) pthread_cond_wait(&state_changed, &state_lock);
    bool has_thread = !error;
    if (!error) error = start_error;
    is_running = !error;
    pthread_mutex_unlock(&state_lock);
    if (error && has_thread) pthread_join(thread, NULL);
    if (error) free(engine.software);
    return error;
}

void csip_stop(uint32_t milliseconds) {
    pthread_mutex_lock(&state_lock);
    bool was_running = is_running;
    is_running = false;
    pthread_mutex_unlock(&state_lock);
    if (!was_running) return;
    command_stop(milliseconds);
    pthread_join(thread, NULL);
    free(engine.software);
    engine.software = NULL;
}
