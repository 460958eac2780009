// All the C that the Swift code sees: libdbus, and the Linux calls that Swift's Glibc module leaves out.
#pragma once
#include <dbus/dbus.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
