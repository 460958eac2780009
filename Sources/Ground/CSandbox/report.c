// Collects the lines of a report.

#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void report_line(struct report *report, const char *format, ...) {
    const size_t room = sizeof report->text - report->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(report->text + report->length, room, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length + 1 < room) {
        report->length += (size_t)length;
        report->text[report->length++] = '\n';
    }
}

int report_failure(struct report *report, const char *step, int error) {
    enum { room_of_level = 1024 };
#ifdef __GLIBC__
    const char *name = strerrorname_np(error);
#else
    const char *name = NULL;
#endif
    // The level and the gaps come last, and must not be lost.
    if (report->length + room_of_level < sizeof report->text)
        report_line(report, "failed %s %s", step, name != NULL ? name : "unknown");
    return -error;
}

void report_send(const struct report *report, int descriptor) {
    if (descriptor < 0) return;
    for (size_t sent = 0; sent < report->length;) {
        ssize_t count = send(descriptor, report->text + sent, report->length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == ENOTSOCK) count = write(descriptor, report->text + sent, report->length - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        sent += (size_t)count;
    }
}
