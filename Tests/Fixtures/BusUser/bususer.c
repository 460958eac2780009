// A plugin that pings services of a bus every 20 ms and says on standard error what becomes of that, when it changes. It never
// says hello. -DBUS is DBUS_BUS_SESSION or DBUS_BUS_SYSTEM, -DSERVICES are the names.

#include <dbus/dbus.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((section(".note.opencallkit"), used, aligned(4))) static const unsigned note[] = {
    12, 24, 1, 0x6e65704f, 0x6c6c6143, 0x0074694b, 1, 0, 1, 0, 6, 3,
};

static const char *services[] = {SERVICES};
enum { count = sizeof services / sizeof *services };
static char last[count][512];

static void tell(int index, const char *name, const char *text) {
    char line[512];
    snprintf(line, sizeof line, "bus-user: %s: %s\n", services[index], name);
    if (strcmp(last[index], line) == 0) return;
    strcpy(last[index], line);
    fprintf(stderr, "%.*s (%s)\n", (int)strlen(line) - 1, line, text);
}

static void ping(int index) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_bus_get_private(BUS, &error);
    if (bus != NULL) {
        dbus_connection_set_exit_on_disconnect(bus, FALSE);
        DBusMessage *call = dbus_message_new_method_call(services[index], "/", "org.freedesktop.DBus.Peer", "Ping");
        DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 2000, &error);
        dbus_message_unref(call);
        if (reply != NULL) dbus_message_unref(reply);
        dbus_connection_close(bus);
        dbus_connection_unref(bus);
    }
    if (dbus_error_is_set(&error)) tell(index, error.name, error.message);
    else tell(index, "answered", "");
    dbus_error_free(&error);
}

int opencallkit_plugin_main(int link) {
    struct pollfd end = {.fd = link, .events = 0};
    do {
        for (int index = 0; index < count; index++) ping(index);
    } while (poll(&end, 1, 20) == 0);
    return 0;
}
