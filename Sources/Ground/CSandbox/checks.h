// The parts of a filter: its instructions, and what they decide.
#pragma once

#include "filter.h"

#include <linux/filter.h>

enum outcome {
    OUTCOME_ALLOWED,
    OUTCOME_REFUSED,    // EPERM
    OUTCOME_NO_ACCESS,  // EACCES
    OUTCOME_UNKNOWN,    // ENOSYS
    OUTCOME_ASK_GUARD,
    CHECK_CLONE,
    CHECK_OWN,            // the first argument is this process
    CHECK_CALLER,         // the first argument is 0, the caller
    CHECK_OWN_OR_CALLER,
    CHECK_PRIORITY,
    CHECK_ALLOCATION,
    CHECK_FCNTL,
    CHECK_IOCTL,
    CHECK_PRCTL,
    CHECK_MAP,
    CHECK_WATCH,
    CHECK_SOCKET,
    CHECK_PAIR,
    CHECK_TIMES,
    CHECK_OPEN,
    CHECK_OPENAT,
    CHECK_TERMINAL,
    CHECK_END,
};

enum { PROGRAM_ROOM = 1200, JUMPS = 128 };

struct program {
    unsigned count, jump_count;
    int is_full;
    // What is refused becomes a question to the guard.
    int asks_guard;
    struct sock_filter list[PROGRAM_ROOM];
    // Jumps to checks, which come later.
    struct {
        unsigned short place;
        unsigned char check;
    } jumps[JUMPS];
};

// Each adds an instruction and returns its place.
unsigned emit(struct program *program, unsigned code, unsigned char if_true, unsigned char if_false, unsigned value);
unsigned emit_if_equal(struct program *program, unsigned value, unsigned char if_true, unsigned char if_false);
unsigned emit_return(struct program *program, unsigned value);
unsigned emit_load_architecture(struct program *program);
unsigned emit_load_number(struct program *program);

// Returns the verdict, or jumps to the check.
void emit_outcome(struct program *program, enum outcome outcome);

// Adds the checks that were jumped to.
void emit_checks(struct program *program, const struct filter_terms *terms);
