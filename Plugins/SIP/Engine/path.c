#include "path.h"
bool path_is_wanted(const struct stream_policy *policy) { (void)policy; return false; }
int path_alloc(struct path **path, struct stream *stream) { (void)path; (void)stream; return ENOTSUP; }
int path_describe(const struct path *path, struct description *ours) { (void)path; (void)ours; return 0; }
int path_take(struct path *path, const struct description *theirs, bool is_offer) {
    (void)path; (void)theirs; (void)is_offer;
    return 0;
}
void path_start(struct path *path) { (void)path; }
void path_restart(struct path *path) { (void)path; }
bool path_is_used(const struct path *path) { (void)path; return false; }
bool path_remote(const struct path *path, const struct stream *stream, struct sa *remote) {
    (void)path;
    if (stream->taken != NULL) *remote = stream->taken->address;
    return stream->taken != NULL;
}
