// A call directory that breaks one rule of the protocol, which the variable CONDUCT names.

#include <dbus/dbus.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    GARBAGE, NO_HELLO, OTHER_VERSION, NO_BEGIN, UNSORTED, UNSORTED_LATER, REMOVES, CHANGES, FLOOD, ANNOUNCES,
    OTHER_TYPES, ENDLESS, CANCELS, TWICE, FILLS
};

__attribute__((section(".note.opencallkit"), used, aligned(4)))
static const uint32_t note[] = {12, 24, 1, 0x6E65704F, 0x6C6C6143, 0x0074694B, 1, 0, 1, 0, 0, 0};

static int link_fd;
static dbus_uint32_t serial;
static dbus_int64_t numbers[8192];

static DBusMessage *call(const char *member) {
    return dbus_message_new_method_call(NULL, "/org/opencallkit/CallSystem1/directory",
                                        "org.opencallkit.DirectoryHost1", member);
}

static void post(DBusMessage *message) {
    char *bytes = NULL;
    int size = 0;
    dbus_message_set_serial(message, ++serial);
    dbus_message_marshal(message, &bytes, &size);
    send(link_fd, bytes, size, MSG_NOSIGNAL);
    dbus_free(bytes);
    dbus_message_unref(message);
}

// Returns true if the message is answered without an error.
static int ask(DBusMessage *message) {
    static char packet[131072];
    post(message);
    ssize_t size = recv(link_fd, packet, sizeof packet, 0);
    if (size <= 0) pause();
    return packet[1] == DBUS_MESSAGE_TYPE_METHOD_RETURN;
}

static DBusMessage *hello(dbus_uint32_t version) {
    const char *text = "stranger";
    DBusMessage *message = call("Hello");
    dbus_message_append_args(message, DBUS_TYPE_UINT32, &version, DBUS_TYPE_STRING, &text, DBUS_TYPE_STRING, &text,
                             DBUS_TYPE_INVALID);
    return message;
}

static DBusMessage *begin(dbus_bool_t incremental) {
    DBusMessage *message = call("Begin");
    dbus_message_append_args(message, DBUS_TYPE_BOOLEAN, &incremental, DBUS_TYPE_INVALID);
    return message;
}

static DBusMessage *block(const char *member, int count) {
    const dbus_int64_t *first = numbers;
    DBusMessage *message = call(member);
    dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_INT64, &first, count, DBUS_TYPE_INVALID);
    return message;
}

// A message whose array claims 2^31 bytes.
static void announce(void) {
    char *bytes = NULL;
    int size = 0;
    DBusMessage *message = block("Block", 16);
    dbus_message_set_serial(message, ++serial);
    dbus_message_marshal(message, &bytes, &size);
    const uint32_t length = UINT32_C(1) << 31;
    memcpy(bytes + size - 16 * 8 - 8, &length, sizeof length);
    send(link_fd, bytes, size, MSG_NOSIGNAL);
    pause();
}

// Takes 300 MiB in the plugin's folder.
static void fill(void) {
    static char block[1 << 20], name[512];
    for (int number = 0; number < 3; number++) {
        snprintf(name, sizeof name, "%s/%d", getenv("HOME"), number);
        const int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        for (int count = 0; count < 100 && write(file, block, sizeof block) > 0; count++) {}
        close(file);
    }
    pause();
}

static void be(int conduct) {
    for (int index = 0; index < 8192; index++) numbers[index] = index + 1;
    if (conduct == GARBAGE) {
        send(link_fd, "garbage", 7, MSG_NOSIGNAL);
        pause();
    }
    if (conduct == NO_HELLO && ask(begin(0))) return;
    if (conduct == NO_HELLO) _exit(3);
    if (conduct == OTHER_VERSION) {
        ask(hello(99));
        pause();
    }
    ask(hello(1));
    if (conduct == CANCELS) {
        const char *name = "org.opencallkit.Error.AccessDenied", *text = "";
        DBusMessage *message = call("Cancel");
        dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
        ask(message);
        return;
    }
    if (conduct == NO_BEGIN) _exit(ask(block("Block", 1)) || ask(call("Complete")) ? 0 : 3);
    if (conduct == CHANGES) _exit(ask(begin(1)) ? 0 : 3);
    ask(begin(0));
    if (conduct == FILLS) fill();
    if (conduct == OTHER_TYPES) {
        DBusMessage *message = call("Block");
        const char *text = "1234";
        dbus_message_append_args(message, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
        _exit(ask(message) ? 0 : 3);
    }
    if (conduct == UNSORTED) {
        numbers[0] = 5;
        numbers[1] = 3;
        ask(block("Block", 2));
        ask(call("Complete"));
    } else if (conduct == UNSORTED_LATER) {
        ask(block("Block", 8192));
        ask(block("Block", 1));
        ask(call("Complete"));
    } else if (conduct == REMOVES) {
        ask(block("Unblock", 1));
        ask(call("Complete"));
    } else if (conduct == ANNOUNCES) {
        announce();
    } else if (conduct == FLOOD) {
        for (;;) {
            post(block("Block", 8192));
            for (int index = 0; index < 8192; index++) numbers[index] += 8192;
        }
    } else if (conduct == ENDLESS) {
        for (int64_t batch = 1; batch < (INT64_C(1) << 31) / 8192; batch++) {
            if (!ask(block("Block", 8192))) break;
            for (int index = 0; index < 8192; index++) numbers[index] += 8192;
        }
        ask(call("Complete"));
    } else if (conduct == TWICE) {
        numbers[0] = 1234;
        ask(block("Block", 1));
        if (!ask(call("Complete"))) _exit(3);
        if (ask(call("Complete")) || ask(block("Block", 1)) || ask(begin(0))) abort();
    }
}

int opencallkit_directory_main(int link) {
    link_fd = link;
    fcntl(link, F_SETFL, 0);
    be(CONDUCT);
    pause();
    return 0;
}
