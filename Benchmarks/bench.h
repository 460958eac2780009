/* What the C programs of the benchmark share: the clock, the bus, the line of samples. */
#pragma once

#include <dbus/dbus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAEMON "org.opencallkit.CallSystem1"
#define ROOT "/org/opencallkit/CallSystem1"
#define PROPERTIES "org.freedesktop.DBus.Properties"
#define FLOOR_PATH "/floor"
#define FLOOR_INTERFACE "bench.Floor1"
#define CALL_TIMEOUT_MS 10000

static inline void die(const char *what, const char *why) {
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

static inline void *some(void *pointer) {
    if (!pointer) die("libdbus", "out of memory");
    return pointer;
}

static inline uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The bus in DBUS_SESSION_BUS_ADDRESS, and `name` on it unless that is NULL. */
static inline DBusConnection *connect_bus(const char *name) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SESSION, &error);
    if (!bus) die("bus", error.message);
    if (name && dbus_bus_request_name(bus, name, DBUS_NAME_FLAG_DO_NOT_QUEUE, &error) !=
                    DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER)
        die(name, error.message ? error.message : "already owned");
    return bus;
}

/* Prints a line of times in ns. */
static inline void print_samples(const uint64_t *samples, size_t count) {
    for (size_t i = 0; i < count; i++) printf("%llu%c", (unsigned long long)samples[i], i + 1 < count ? ' ' : '\n');
}
