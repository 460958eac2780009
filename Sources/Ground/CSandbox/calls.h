// System calls that a sandboxed process may always make, whatever their arguments: they touch the process itself and
// descriptors that it has, or files, which Landlock and the mount namespace bound.
#pragma once

#include "kernel.h"

static const short allowed_calls[] = {
// Of 64-bit Intel only; elsewhere the C library uses their successors.
#ifdef __NR_poll
    __NR_access, __NR_alarm, __NR_arch_prctl, __NR_creat, __NR_dup2, __NR_epoll_create, __NR_epoll_wait, __NR_eventfd,
    __NR_getdents, __NR_getpgrp, __NR_link, __NR_lstat, __NR_mkdir, __NR_open, __NR_pause, __NR_pipe, __NR_poll,
    __NR_readlink, __NR_rename, __NR_rmdir, __NR_select, __NR_signalfd, __NR_stat, __NR_symlink, __NR_time,
    __NR_unlink,
#endif
    // Memory.
    __NR_brk, __NR_madvise, __NR_membarrier, __NR_mincore, __NR_mlock, __NR_mlock2,
    __NR_mprotect, __NR_mremap, __NR_msync, __NR_munlock, __NR_munmap,
    // Threads, time and signals of one's own.
    __NR_clock_getres, __NR_clock_gettime, __NR_clock_nanosleep, __NR_exit, __NR_exit_group, __NR_futex,
    __NR_get_robust_list, __NR_getcpu, __NR_getitimer, __NR_gettimeofday, __NR_nanosleep, __NR_restart_syscall,
    __NR_rseq, __NR_rt_sigaction, __NR_rt_sigpending, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_rt_sigsuspend,
    __NR_rt_sigtimedwait, __NR_sched_get_priority_max, __NR_sched_get_priority_min, __NR_sched_getaffinity,
    __NR_sched_getattr, __NR_sched_getparam, __NR_sched_getscheduler, __NR_sched_yield, __NR_set_robust_list,
    __NR_set_tid_address, __NR_setitimer, __NR_sigaltstack, __NR_timer_create, __NR_timer_delete,
    __NR_timer_getoverrun, __NR_timer_gettime, __NR_timer_settime, __NR_timerfd_create, __NR_timerfd_gettime,
    __NR_timerfd_settime, __NR_wait4, __NR_waitid,
    // What the process is.
    __NR_capget, __NR_getcwd, __NR_getegid, __NR_geteuid, __NR_getgid, __NR_getgroups, __NR_getpid,
    __NR_getppid, __NR_getrandom, __NR_getresgid, __NR_getresuid, __NR_getrlimit, __NR_getrusage,
    __NR_gettid, __NR_getuid, __NR_sysinfo, __NR_times, __NR_umask, __NR_uname,
    // Open files and sockets.
    __NR_close, __NR_close_range, __NR_copy_file_range, __NR_dup, __NR_dup3, __NR_epoll_create1, __NR_epoll_ctl,
    __NR_epoll_pwait, __NR_epoll_pwait2, __NR_eventfd2, __NR_fadvise64, __NR_fchdir, __NR_fchmod,
    __NR_fdatasync, __NR_fgetxattr, __NR_flistxattr, __NR_flock, __NR_fremovexattr, __NR_fsetxattr, __NR_fstat,
    __NR_fstatfs, __NR_fsync, __NR_ftruncate, __NR_getdents64, __NR_getpeername, __NR_getsockname, __NR_getsockopt,
    __NR_lseek, __NR_pipe2, __NR_ppoll, __NR_pread64, __NR_preadv, __NR_preadv2, __NR_pselect6, __NR_pwrite64,
    __NR_pwritev, __NR_pwritev2, __NR_read, __NR_readahead, __NR_readv, __NR_recvfrom, __NR_recvmmsg, __NR_recvmsg,
    __NR_sendfile, __NR_sendmmsg, __NR_sendmsg, __NR_sendto, __NR_setsockopt, __NR_shutdown, __NR_signalfd4,
    __NR_splice, __NR_sync_file_range, __NR_tee, __NR_write, __NR_writev,
    // Files by name.
    __NR_chdir, __NR_faccessat, __NR_faccessat2, __NR_getxattr, __NR_lgetxattr, __NR_linkat, __NR_listxattr,
    __NR_mkdirat, __NR_newfstatat, __NR_openat, __NR_openat2, __NR_readlinkat, __NR_renameat, __NR_renameat2,
    __NR_statfs, __NR_statx, __NR_symlinkat, __NR_unlinkat,
};

// Calls that change what a mount may forbid and Landlock cannot. They are allowed only with the mount namespace.
static const short calls_of_mounts[] = {
#ifdef __NR_poll
    __NR_chmod, __NR_inotify_init,
#endif
    __NR_fchmodat, __NR_inotify_init1, __NR_inotify_rm_watch, __NR_truncate, __NR_utimensat,
};

// With the permission to use the network, beside socket() and connect().
static const short calls_of_network[] = {__NR_accept, __NR_accept4, __NR_bind, __NR_listen};

// What a process that starts sandboxed workers has no use for, nor have they.
static const short refused_with_children[] = {
    __NR_accept, __NR_accept4, __NR_acct, __NR_add_key, __NR_bind, __NR_bpf, __NR_clock_adjtime, __NR_clock_settime,
    __NR_connect, __NR_delete_module, __NR_fanotify_init, __NR_finit_module, __NR_init_module, __NR_kcmp,
    __NR_kexec_load, __NR_keyctl, __NR_listen, __NR_migrate_pages, __NR_move_pages, __NR_name_to_handle_at,
    __NR_open_by_handle_at, __NR_perf_event_open, __NR_personality, NR_PIDFD_GETFD, __NR_process_vm_readv,
    __NR_process_vm_writev, __NR_ptrace, __NR_quotactl, __NR_reboot, __NR_request_key, __NR_setdomainname,
    __NR_sethostname, __NR_setns, __NR_settimeofday, __NR_swapoff, __NR_swapon, __NR_syslog, __NR_userfaultfd,
};
