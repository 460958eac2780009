// What the attempts share: who their targets are, and how an attempt says what came of it.
#pragma once

#include <stddef.h>

// One hostile attempt. `run` returns 0 or more if it got through, -1 with errno if it was denied, and ABSENT if this
// machine or this test has no such target.
struct attempt {
    const char *name;
    long (*run)(void);
    // True if a denial may end the process, so that it is made only when it is asked for by name.
    int is_alone;
};

enum { ABSENT = -2 };

// Each ends with an attempt without a name.
extern const struct attempt file_attempts[], path_attempts[], descriptor_attempts[], process_attempts[],
    signal_attempts[], program_attempts[], address_attempts[], unix_attempts[], bus_attempts[], kernel_attempts[],
    mount_attempts[], ring_attempts[], call_attempts[], link_attempts[], resource_attempts[];

// The plugin's end of the link to the host.
extern int battery_link;

// Write a call for the host, and return its length, at most 512: that with which a plugin begins, and a ping.
size_t hello_for_host(unsigned char *bytes);
size_t ping_for_host(unsigned char *bytes);

// A line of the file of targets; "" if it has none of this name.
const char *target(const char *name);

// The number in such a line; -1 if there is none.
long target_number(const char *name);

// The name of a file below a target that is a folder. Valid until eight others were asked for.
const char *below(const char *name, const char *rest);

// The same below the plugin's own state folder.
const char *in_state(const char *rest);

// Adds to what is reported of the attempt that runs.
__attribute__((format(printf, 1, 2))) void remark(const char *format, ...);

// Denied for this reason.
long denied(int error);

// 0 if the descriptor is one, and closes it; else -1 with the errno that open() left.
long opened(int descriptor);

// 0 if this file can be read and begins with the secret that the test put there.
long reads_secret(int descriptor);
long reads_secret_at(const char *path);

// 0 if this file can be read at all.
long reads_anything(const char *path);

// Runs this in a child process if there can be one, else here. An end by a signal is a denial.
long in_child(long (*run)(void));
