"""What a sandboxed process may do. Everything here runs in the child, after the fork and before it reads untrusted bytes."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_OPEN_FILES = 64
_ADDRESS_SPACE_PAGES = Path("/proc/self/statm")
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/etc/localtime", "/dev/urandom", "/dev/null")
_WRITING_FLAGS = (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC)

_NETWORK = ("socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg")
_PROCESSES = (
    "execve", "execveat", "fork", "vfork", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "pidfd_open", "pidfd_send_signal", "pidfd_getfd", "ptrace", "process_vm_readv", "process_vm_writev",
    "process_madvise", "kcmp", "setpriority", "sched_setscheduler", "sched_setaffinity", "setrlimit",
)  # fmt: skip
_FILES = (
    "creat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
    "mkdir", "mkdirat", "mknod", "mknodat", "truncate", "ftruncate", "fallocate", "chmod", "fchmod", "fchmodat", "chown",
    "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "memfd_create", "memfd_secret",
    # Landlock does not know permissions and attributes, and these came to Linux after the calls above.
    "fchmodat2", "setxattrat", "removexattrat", "file_setattr",
)  # fmt: skip
_SYSTEM = (
    "mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "move_mount", "open_tree", "fsopen", "fsconfig",
    "fsmount", "mount_setattr", "open_tree_attr", "open_by_handle_at", "reboot", "swapon", "swapoff", "init_module", "finit_module", "delete_module",
    "kexec_load", "kexec_file_load", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "iopl", "ioperm", "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "shmget", "msgget", "semget", "mq_open", "quotactl", "acct",
)  # fmt: skip
_CLONE_THREAD = 0x00010000


def confine(*, memory_bytes: int, cpu_seconds: int, readable: Sequence[Path], private: Path) -> None:
    """Permanently give up everything that reading does not need. `readable` are the files to read besides Python itself; nothing
    else in the folder `private` can be read."""
    _die_with_parent()
    _limit_resources(memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
    if "landlock" not in missing():
        _restrict_files(readable, private.absolute())
    if "seccomp" not in missing():
        _filter_system_calls()


def missing() -> list[str]:
    """The protections that this system does not have."""
    if sys.platform != "linux":
        return ["landlock", "seccomp", "memory limit"]
    import landlockpy
    import seccompy

    absent = [] if landlockpy.supported() else ["landlock"]
    try:
        seccompy.audit_arch()
        has_seccomp = seccompy.supported()
    except seccompy.UnsupportedError:  # another processor
        has_seccomp = False
    return absent if has_seccomp else [*absent, "seccomp"]


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes

        parent = os.getppid()
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


def _limit_resources(*, memory_bytes: int, cpu_seconds: int) -> None:
    def limit(kind: int, most: int) -> None:
        _, hard = resource.getrlimit(kind)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))

    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_FSIZE, 0)
    limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    limit(resource.RLIMIT_NPROC, 0)
    limit(resource.RLIMIT_CPU, cpu_seconds)
    if sys.platform == "linux":
        pages = int(_ADDRESS_SPACE_PAGES.read_text().split()[0])
        limit(resource.RLIMIT_AS, pages * resource.getpagesize() + memory_bytes)


def _restrict_files(readable: Sequence[Path], private: Path) -> None:
    from landlockpy import AccessFS, Ruleset, Scope

    look = AccessFS.READ_FILE | AccessFS.READ_DIR
    files = [file.absolute() for file in readable]
    # The folder of a project can have modules and the data folder in it. Its modules have been imported before.
    modules = [path for path in map(Path, sys.path) if not (private.is_relative_to(path) or path.is_relative_to(private))]
    with Ruleset(scoped=Scope.SIGNAL | Scope.ABSTRACT_UNIX_SOCKET) as rules:
        for path in (*modules, Path(sys.prefix), Path(sys.base_prefix), *map(Path, _SYSTEM_FOLDERS)):
            with suppress(FileNotFoundError):
                rules.allow_path(path, look if path.is_dir() else AccessFS.READ_FILE)
        for file in files:
            with suppress(FileNotFoundError):
                rules.allow_path(file, AccessFS.READ_FILE)
        rules.restrict()


def _filter_system_calls() -> None:
    from seccompy import Action, ArgCmp, CmpOp, Filter, UnsupportedError

    rules = Filter(default=Action.ALLOW)
    for name in (*_NETWORK, *_PROCESSES, *_FILES, *_SYSTEM):
        with suppress(ValueError, UnsupportedError):  # not every architecture has each of them
            rules.errno(name, errno.EPERM)
    # The C library falls back to `clone` and `openat`, whose flags a filter can see.
    for name in ("clone3", "openat2"):
        rules.errno(name, errno.ENOSYS)
    rules.errno("clone", errno.EPERM, args=[ArgCmp(0, CmpOp.MASKED_EQ, 0, mask=_CLONE_THREAD)])
    rules.errno("prlimit64", errno.EPERM, args=[ArgCmp(2, CmpOp.NE, 0)])
    for flag in _WRITING_FLAGS:
        rules.errno("openat", errno.EPERM, args=[ArgCmp(2, CmpOp.MASKED_EQ, flag, mask=flag)])
        with suppress(ValueError, UnsupportedError):
            rules.errno("open", errno.EPERM, args=[ArgCmp(1, CmpOp.MASKED_EQ, flag, mask=flag)])
    rules.load()
