// The entry that a worker calls.
#pragma once
int opencallkit_plugin_main(int link);
