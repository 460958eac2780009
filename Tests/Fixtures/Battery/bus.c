// What a plugin does with a bus that it may use: it asks for names that were not granted. A client of a few lines, so
// that no library stands between the attempt and the bus.

#define _GNU_SOURCE
#include "battery.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct message {
    unsigned char bytes[2048];
    size_t length;
};

static void pad(struct message *message, size_t to) {
    while (message->length % to != 0) message->bytes[message->length++] = 0;
}

static void put_number(struct message *message, uint32_t number) {
    pad(message, 4);
    memcpy(message->bytes + message->length, &number, 4);
    message->length += 4;
}

static void put_text(struct message *message, const char *text) {
    size_t length = strlen(text);
    put_number(message, (uint32_t)length);
    memcpy(message->bytes + message->length, text, length + 1);
    message->length += length + 1;
}

static void put_field(struct message *message, unsigned char code, char type, const char *text) {
    pad(message, 8);
    unsigned char head[] = {code, 1, (unsigned char)type, 0};
    memcpy(message->bytes + message->length, head, 4);
    message->length += 4;
    if (type != 'g') {
        put_text(message, text);
        return;
    }
    size_t length = strlen(text);
    message->bytes[message->length++] = (unsigned char)length;
    memcpy(message->bytes + message->length, text, length + 1);
    message->length += length + 1;
}

static void set_number(struct message *message, size_t at, size_t number) {
    uint32_t value = (uint32_t)number;
    memcpy(message->bytes + at, &value, 4);
}

// A call whose arguments are this text wherever there is one, empty arrays, and 0; the 1 is the version in Hello.
static struct message call_of(const char *to, const char *path, const char *interface, const char *member,
                              const char *signature, const char *text) {
    struct message made = {.bytes = {'l', 1, 0, 1}, .length = 4};
    put_number(&made, 0);
    put_number(&made, 1);
    put_number(&made, 0);
    put_field(&made, 1, 'o', path);
    put_field(&made, 2, 's', interface);
    put_field(&made, 3, 's', member);
    put_field(&made, 6, 's', to);
    if (*signature != '\0') put_field(&made, 8, 'g', signature);
    set_number(&made, 12, made.length - 16);
    pad(&made, 8);
    size_t start = made.length;
    for (const char *type = signature; *type != '\0'; type++) {
        // An array without elements is a zero, too.
        if (*type == 'a') put_number(&made, 0);
        else if (*type == 'u') put_number(&made, strlen(signature) == 3 && type == signature);
        else if (type == signature || type[-1] != 'a') put_text(&made, text);
    }
    set_number(&made, 4, made.length - start);
    return made;
}

static int receive(int bus, unsigned char *bytes, size_t length) {
    for (size_t used = 0; used < length;) {
        struct pollfd ready = {.fd = bus, .events = POLLIN};
        if (poll(&ready, 1, 3000) != 1) return -1;
        ssize_t count = read(bus, bytes + used, length - used);
        if (count <= 0) return -1;
        used += (size_t)count;
    }
    return 0;
}

// Sends a call. 0 if it was answered, 1 if an error was, -1 if nothing came.
static int ask(int bus, struct message call) {
    static uint32_t serial;
    set_number(&call, 8, ++serial);
    static unsigned char bytes[65536];
    if (write(bus, call.bytes, call.length) != (ssize_t)call.length) return -1;
    for (;;) {
        uint32_t head[4];
        if (receive(bus, (unsigned char *)head, sizeof head) != 0) return -1;
        size_t rest = ((head[3] + 7) & ~7u) + head[1];
        if (rest > sizeof bytes || receive(bus, bytes, rest) != 0) return -1;
        int type = head[0] >> 8 & 0xFF;
        if (type == 2) return 0;
        if (type == 3) {
            // The name of the error is among the fields; what is asked here is only which it is.
            for (size_t at = 0; at + 8 < rest; at++) {
                if (bytes[at] == 4 && bytes[at + 2] == 's') remark("%.80s", (const char *)bytes + at + 8);
            }
            return 1;
        }
    }
}

static long authenticate(int bus) {
    char line[128], digits[32], *end = line;
    snprintf(digits, sizeof digits, "%u", getuid());
    end += sprintf(end, "%cAUTH EXTERNAL ", 0);
    for (const char *digit = digits; *digit != '\0'; digit++) end += sprintf(end, "%02x", (unsigned char)*digit);
    end += sprintf(end, "\r\n");
    if (write(bus, line, (size_t)(end - line)) < 0) return -1;
    for (char last = 0; last != '\n';) {
        if (receive(bus, (unsigned char *)&last, 1) != 0) return -1;
    }
    return write(bus, "BEGIN\r\n", 7) == 7 ? 0 : -1;
}

static const char driver[] = "org.freedesktop.DBus", driver_path[] = "/org/freedesktop/DBus";

static int connect_bus(void) {
    const char *address = getenv("DBUS_SESSION_BUS_ADDRESS");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (*target("bus-granted") == '\0') return ABSENT;
    if (address == NULL || sscanf(address, "unix:path=%107[^,]", name.sun_path) != 1) return (int)denied(ENOENT);
    int bus = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bus < 0 || connect(bus, (struct sockaddr *)&name, sizeof name) != 0 || authenticate(bus) != 0 ||
        ask(bus, call_of(driver, driver_path, driver, "Hello", "", "")) != 0) {
        int error = errno;
        if (bus >= 0) close(bus);
        return (int)denied(error);
    }
    return bus;
}

static long asks(struct message call) {
    int bus = connect_bus();
    if (bus < 0) return bus;
    int answer = ask(bus, call);
    close(bus);
    return answer == 0 ? 0 : denied(answer == 1 ? EACCES : EPIPE);
}

static long call_granted(void) {
    return asks(call_of(target("bus-granted"), "/", "org.freedesktop.DBus.Peer", "Ping", "", ""));
}
static long call_forbidden(void) {
    return asks(call_of(target("bus-forbidden"), "/", "org.freedesktop.DBus.Peer", "Ping", "", ""));
}
static long call_daemon(void) {
    return asks(call_of("org.opencallkit.CallSystem1", "/", "org.freedesktop.DBus.Peer", "Ping", "", ""));
}
static long call_unique(void) {
    return asks(call_of(target("bus-unique"), "/", "org.freedesktop.DBus.Peer", "Ping", "", ""));
}
static long monitor(void) {
    return asks(call_of(driver, driver_path, "org.freedesktop.DBus.Monitoring", "BecomeMonitor", "asu", ""));
}
static long own_name(void) {
    return asks(call_of(driver, driver_path, driver, "RequestName", "su", "org.example.Escape"));
}
static long start_service(void) {
    return asks(call_of(driver, driver_path, driver, "StartServiceByName", "su", target("bus-forbidden")));
}
static long eavesdrop(void) {
    return asks(call_of(driver, driver_path, driver, "AddMatch", "s", "eavesdrop='true'"));
}
static long ask_for_process(void) {
    return asks(call_of(driver, driver_path, driver, "GetConnectionCredentials", "s", target("bus-forbidden")));
}

size_t hello_for_host(unsigned char *bytes) {
    struct message hello = call_of("org.opencallkit.Host", "/org/opencallkit/CallSystem1",
                                   "org.opencallkit.WorkerHost1", "Hello", "uss", "0.1.0");
    memcpy(bytes, hello.bytes, hello.length);
    return hello.length;
}

size_t ping_for_host(unsigned char *bytes) {
    struct message ping = call_of("org.opencallkit.Host", "/", "org.freedesktop.DBus.Peer", "Ping", "", "");
    memcpy(bytes, ping.bytes, ping.length);
    return ping.length;
}

const struct attempt bus_attempts[] = {
    {.name = "call a name that was granted", .run = call_granted},
    {.name = "call a name that was not granted", .run = call_forbidden},
    {.name = "call the daemon on the bus", .run = call_daemon},
    {.name = "call a connection by its unique name", .run = call_unique},
    {.name = "monitor the bus", .run = monitor},
    {.name = "own a name on the bus", .run = own_name},
    {.name = "start a service of the bus", .run = start_service},
    {.name = "eavesdrop on the bus", .run = eavesdrop},
    {.name = "ask the bus who somebody is", .run = ask_for_process},
    {.name = NULL},
};
