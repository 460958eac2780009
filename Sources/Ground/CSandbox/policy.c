// Reads a policy: lines of fields between tabs. A line that is not understood makes the whole policy invalid.

#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 5 };

static char trouble[160];

static const char *const level_words[] = {"none", "syscalls", "landlock", "full"};
static const char *const access_words[] = {"read", "write", "device", "socket"};

const char *sandbox_policy_trouble(void) { return trouble; }

const char *sandbox_level_word(enum sandbox_level level) { return level_words[level]; }

enum sandbox_level sandbox_demanded_level(const sandbox_policy *policy) { return policy->demand; }

static int invalid(int line, const char *what, const char *found) {
    snprintf(trouble, sizeof trouble, "line %d of the policy: %s '%.60s'", line, what, found);
    return EINVAL;
}

static int index_of(const char *word, const char *const *words, int count) {
    for (int index = 0; index < count; index++) {
        if (strcmp(word, words[index]) == 0) return index;
    }
    return -1;
}

// An absolute path without empty elements, `.` and `..`.
static int is_plain_path(const char *path) {
    if (path[0] != '/' || strlen(path) >= 4096) return 0;
    for (const char *element = path; *element == '/';) {
        const size_t length = strcspn(++element, "/");
        if (length == 0 || length > 255) return 0;
        if (strncmp(element, "..", length) == 0 && length <= 2) return 0;
        element += length;
    }
    return 1;
}

static int is_number(const char *text, unsigned long long *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && *end == '\0';
}

static int read_path(sandbox_policy *policy, enum policy_access access, char **field, int count, int line) {
    const int most = access == ACCESS_SOCKET ? 4 : access == ACCESS_DEVICE ? 2 : 3;
    if (count > most || count < (access == ACCESS_SOCKET ? 4 : 2))
        return invalid(line, "wrong number of fields after", field[0]);
    if (policy->path_count == POLICY_PATHS) return invalid(line, "too many paths at", field[1]);
    struct policy_path *path = &policy->paths[policy->path_count++];
    *path = (struct policy_path){access, field[1], count > 2 ? field[2] : field[1], count > 3 ? field[3] : NULL};
    if (!is_plain_path(path->path)) return invalid(line, "not an absolute plain path", path->path);
    if (!is_plain_path(path->as)) return invalid(line, "not an absolute plain path", path->as);
    if (access == ACCESS_SOCKET && (path->name[0] == '\0' || strchr(path->name, '/') != NULL))
        return invalid(line, "not the name of a socket", path->name);
    return 0;
}

static int read_variable(sandbox_policy *policy, char **field, int count, int line) {
    if (count != 3) return invalid(line, "wrong number of fields after", field[0]);
    if (policy->variable_count == POLICY_VARIABLES) return invalid(line, "too many variables at", field[1]);
    if (field[1][0] == '\0' || strchr(field[1], '=') != NULL) return invalid(line, "not a name", field[1]);
    policy->variables[policy->variable_count++] =
        (struct policy_variable){field[1], field[2], strcmp(field[0], "environment") != 0};
    return 0;
}

static int read_simulation(sandbox_policy *policy, char **field, int line) {
    unsigned long long number = 0;
    if (strcmp(field[0], "landlock-abi") == 0) {
        if (!is_number(field[1], &number) || number > 1000) return invalid(line, "not an ABI", field[1]);
        policy->landlock_abi = (unsigned)number;
    } else if (strcmp(field[1], "namespaces") == 0) {
        policy->without_namespaces = 1;
    } else if (strcmp(field[1], "landlock") == 0) {
        policy->without_landlock = 1;
    } else {
        return invalid(line, "unknown word after 'without'", field[1]);
    }
    return 0;
}

static int read_demand(sandbox_policy *policy, char **field, int line) {
    const int level = index_of(field[1], level_words, 4);
    if (level < 0) return invalid(line, "unknown level", field[1]);
    if (policy->has_demand) return invalid(line, "a second demand", field[1]);
    policy->has_demand = 1;
    policy->demand = (enum sandbox_level)level;
    return 0;
}

static int read_line(sandbox_policy *policy, char *text, int line) {
    char *field[FIELDS];
    int count = 0;
    for (char *rest = text; rest != NULL;) {
        if (count == FIELDS) return invalid(line, "too many fields after", field[0]);
        field[count++] = strsep(&rest, "\t");
    }
    const char *word = field[0];
    const int access = index_of(word, access_words, 4);
    if (access >= 0) return read_path(policy, (enum policy_access)access, field, count, line);
    if (strcmp(word, "environment") == 0 || strcmp(word, "environment-at-landlock") == 0)
        return read_variable(policy, field, count, line);
    if (strcmp(word, "network") == 0 && count == 1) return policy->network = 1, 0;
    if (strcmp(word, "keep-children") == 0 && count == 1) return policy->keeps_children = 1, 0;
    if (strcmp(word, "report-denied") == 0 && count == 1) return policy->reports_denied = 1, 0;
    if (strcmp(word, "demand") == 0 && count == 2) return read_demand(policy, field, line);
    if ((strcmp(word, "without") == 0 || strcmp(word, "landlock-abi") == 0) && count == 2)
        return read_simulation(policy, field, line);
    return invalid(line, "not understood:", word);
}

static int read_lines(sandbox_policy *policy, size_t length) {
    if (length == 0) return invalid(1, "it is", "empty");
    if (memchr(policy->text, '\0', length) != NULL) return invalid(1, "a byte is", "0");
    if (policy->text[length - 1] != '\n') return invalid(1, "the last line has", "no end");
    policy->text[length - 1] = '\0';
    int line = 0;
    for (char *rest = policy->text; rest != NULL;) {
        const int error = read_line(policy, strsep(&rest, "\n"), ++line);
        if (error != 0) return error;
    }
    return policy->has_demand ? 0 : invalid(line, "there is no line", "demand");
}

// Takes over the text, which has room for a terminating 0.
static int parse(char *text, size_t length, sandbox_policy **policy) {
    sandbox_policy *made = calloc(1, sizeof *made);
    if (made == NULL) {
        free(text);
        return ENOMEM;
    }
    made->text = text;
    made->landlock_abi = 1000;
    text[length] = '\0';
    const int error = read_lines(made, length);
    if (error != 0) {
        sandbox_free_policy(made);
        made = NULL;
    }
    *policy = made;
    return error;
}

int sandbox_policy_from_text(const char *text, size_t length, sandbox_policy **policy) {
    *policy = NULL;
    if (length > POLICY_BYTES) return invalid(1, "it is", "longer than 64 KiB");
    char *copy = malloc(length + 1);
    if (copy == NULL) return ENOMEM;
    memcpy(copy, text, length);
    return parse(copy, length, policy);
}

int sandbox_read_policy(int descriptor, sandbox_policy **policy) {
    size_t length = 0, room = 4096;
    char *text = malloc(room + 1);
    *policy = NULL;
    while (text != NULL) {
        const ssize_t count = read(descriptor, text + length, room - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const int error = errno;
            free(text);
            return error;
        }
        if (count == 0) return parse(text, length, policy);
        length += (size_t)count;
        if (length > POLICY_BYTES) {
            free(text);
            return invalid(1, "it is", "longer than 64 KiB");
        }
        if (length < room) continue;
        char *larger = realloc(text, (room *= 2) + 1);
        if (larger == NULL) free(text);
        text = larger;
    }
    return ENOMEM;
}

void sandbox_free_policy(sandbox_policy *policy) {
    if (policy != NULL) free(policy->text);
    free(policy);
}

static int grants(const sandbox_policy *policy, enum policy_access access) {
    for (size_t index = 0; index < policy->path_count; index++) {
        if (policy->paths[index].access == access) return 1;
    }
    return 0;
}

int policy_grants_sockets(const sandbox_policy *policy) { return grants(policy, ACCESS_SOCKET); }

int policy_grants_devices(const sandbox_policy *policy) { return grants(policy, ACCESS_DEVICE); }
