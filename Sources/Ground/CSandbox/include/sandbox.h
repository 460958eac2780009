// A sandbox that a process builds around itself: a mount namespace, resource limits, Landlock and seccomp. Each step is
// tried; what this machine does not have is reported, and the next step follows. No library but libc is needed.
//
// A policy is lines of UTF-8, each with fields between tabs and a line feed at its end:
//
//     demand  LEVEL              the least level: full, landlock, syscalls or none; none means that nothing is confined
//     network                    sockets of AF_INET, AF_INET6 and AF_NETLINK; the files of /etc about names and TLS
//     read    PATH [AS]          a folder or file to read, in the sandbox at AS
//     write   PATH [AS]          a folder to write
//     device  PATH               a device or folder of devices, with ioctl()
//     socket  FOLDER AS NAME     the Unix socket NAME in FOLDER, in the sandbox at AS/NAME; grants AF_UNIX
//     environment NAME VALUE     a variable that is set in the sandbox
//     environment-at-landlock NAME VALUE    the same, at the levels below full only
//     keep-children              for a process that starts sandboxed workers itself: it reads everything, writes to the
//                                folders of `write` only, and creates no sockets; its children can confine
//                                themselves. At level full, it cannot write to a `read` folder inside a `write` one
//     report-denied              the guard adds `denied CALL [ARGUMENT]` to the report while the process runs
//     without namespaces|landlock, landlock-abi NUMBER    for tests: does without kernel features
//
// The report has a line each: `level LEVEL`, `failed STEP ERROR`, `landlock ABI`, `missing PATH`, `guard` if the
// confined process has a parent that helps it (the guard), and `gap WORD` for what is not enforced:
//
//     file-contents      files of the user can be read and written
//     file-names         the process can tell whether a file exists, and its size
//     file-attributes    it can change mode and times of a file that it may read and that belongs to the user
//     threads            their number has no limit
//     memory             the guard reads its memory, so it cannot hide it from other processes of the user
//     sockets-refused    sockets were granted, and are refused, because the machine cannot tell them from others
#pragma once

#include <stddef.h>

enum sandbox_level { SANDBOX_NONE, SANDBOX_SYSCALLS, SANDBOX_LANDLOCK, SANDBOX_FULL };

typedef struct sandbox_policy sandbox_policy;

// Reads a policy up to the end of the descriptor, at most 64 KiB, or from a text. Returns 0 or an errno. EINVAL means
// that the text is no policy; sandbox_policy_trouble() then names the line and the word.
int sandbox_read_policy(int descriptor, sandbox_policy **policy);
int sandbox_policy_from_text(const char *text, size_t length, sandbox_policy **policy);
const char *sandbox_policy_trouble(void);
void sandbox_free_policy(sandbox_policy *policy);
enum sandbox_level sandbox_demanded_level(const sandbox_policy *policy);

// Confines this process for good and writes the report to the descriptor, unless that is -1. The process has one
// thread. Returns the level that was reached, or -errno: -EBUSY with more threads, -ENOTSUP if the level is below the
// one that the policy demands. A process that could not be confined may be confined in part; it must end.
int sandbox_enter(const sandbox_policy *policy, int report);

// Splits this process in two and returns in the new one: 0, or an errno if there is no new one. The old process waits
// for the end of the new one and ends alike. With `serve`, it calls serve(context) in a thread of its own and keeps
// open the descriptor `kept`; else that is -1.
typedef int sandbox_split(void (*serve)(void *context), void *context, int kept);

// The same as sandbox_enter(), for a process that can split itself. The old process then connects the sockets of the
// policy where the kernel cannot bound them. Without `split`, such sockets are refused, with the gap `sockets-refused`.
int sandbox_enter_with_guard(const sandbox_policy *policy, int report, sandbox_split *split);

// Confines this process by the policy in the text: sandbox_policy_from_text() and sandbox_enter(). Returns the level or
// -errno.
int sandbox_confine(const char *text, size_t length, int report);

// The word of a level, as in policies and reports.
const char *sandbox_level_word(enum sandbox_level level);
