// What Debian 12 has (libadwaita 1.2, GTK 4.8) is deprecated in part by Debian 13 (libadwaita 1.7, GTK 4.18), which still
// has it; AdwAlertDialog, which takes the place of AdwMessageDialog, is not in Debian 12.
#define ADW_DISABLE_DEPRECATION_WARNINGS
#define GDK_DISABLE_DEPRECATION_WARNINGS
#define GLIB_DISABLE_DEPRECATION_WARNINGS
#include <adwaita.h>
