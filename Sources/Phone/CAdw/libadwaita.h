// libadwaita, with GTK below it, and the translations of the C library.
#pragma once
// Debian 13 (libadwaita 1.7, GTK 4.18) deprecates some of what Debian 12 has (1.2, 4.8), and still has it. What takes the
// place of AdwMessageDialog, AdwAlertDialog, is not in Debian 12.
#define ADW_DISABLE_DEPRECATION_WARNINGS
#define GDK_DISABLE_DEPRECATION_WARNINGS
#define GLIB_DISABLE_DEPRECATION_WARNINGS
#include <adwaita.h>
#include <libintl.h>
#include <locale.h>
