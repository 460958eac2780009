// confined POLICY ATTEMPT[=PATH]...: confines itself by the policy in the file POLICY, as the programs that read what strangers
// write do, and then attempts what a hostile file would have it do. It prints the report, and for each attempt a line with the
// attempt and `done` or the name of the error.
//
// `nested=POLICY` starts this program again, confined by another policy, and prints the level that it reaches.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.h"
#include "sandbox.h"

enum { LONGEST_POLICY = 64 * 1024 };

static int confine(const char *path, int report) {
    static char text[LONGEST_POLICY];
    FILE *file = fopen(path, "r");
    if (file == NULL) return -errno;
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    return sandbox_confine(text, length, report);
}

// Returns 0 if the new process reaches the level `full`.
static int nested(const char *program, const char *policy) {
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        execl(program, program, policy, "quiet", NULL);
        _exit(1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) return errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == SANDBOX_FULL ? 0 : ENOTSUP;
}

int main(int count, char **words) {
    if (count < 2) return 64;
    const int is_quiet = count > 2 && strcmp(words[2], "quiet") == 0;
    const int level = confine(words[1], is_quiet ? -1 : STDOUT_FILENO);
    if (is_quiet) return level < 0 ? 99 : level;
    if (level < 0) {
        fprintf(stderr, "not confined: %s\n", strerror(-level));
        return 68;
    }
    for (int index = 2; index < count; index++) {
        char *path = strchr(words[index], '=');
        if (path != NULL) *path++ = '\0';
        const int error = strcmp(words[index], "nested") == 0 ? nested(words[0], path) : attempt(words[index], path);
        printf("%s %s\n", words[index], error == 0 ? "done" : strerrorname_np(error));
    }
    fflush(stdout);
    return 0;
}
