// What a program that was taken over would try.
#pragma once

// Returns 0 if the attempt got through, or the errno with which it was denied. EDOM: there is no such attempt.
int attempt(const char *name, const char *path);
