// libpulse, which speaks to PulseAudio and to PipeWire alike, and libsndfile, which reads sound files.
#pragma once
#include <pulse/ext-stream-restore.h>
#include <pulse/pulseaudio.h>
#include <sndfile.h>
#include <sys/time.h>
