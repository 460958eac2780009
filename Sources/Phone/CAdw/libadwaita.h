// libadwaita, with GTK below it, and the translations of the C library.
#pragma once
#include <adwaita.h>
#include <libintl.h>
#include <locale.h>
