"""Restrictions of a sandboxed process. Everything here runs in the child, after the fork and before it reads untrusted bytes."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_OPEN_FILES = 64
_ADDRESS_SPACE_PAGES = Path("/proc/self/statm")
_SYSTEM_FOLDERS = ("/usr", "/lib", "/lib64", "/etc/localtime", "/dev/urandom", "/dev/null")
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

_SYSTEM_CALLS = (
    "brk", "mmap", "munmap", "mprotect", "mremap",
    "read", "readv", "pread64", "preadv", "write", "writev", "lseek", "close", "close_range", "dup", "dup2", "dup3", "fadvise64",
    "fstat", "newfstatat", "stat", "lstat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getdents64", "getcwd", "poll", "ppoll", "select", "pselect6",
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage",
    "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo", "getrandom", "getrlimit",
    "futex", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall", "exit", "exit_group",
)  # fmt: skip
"""All that a reader may call, besides those below whose arguments count. None of them reaches another process or changes a file."""
_MIN_HARMFUL_ADVICE = 100
"""From here on, advice about memory is for tests of the kernel: it takes the memory away from every process."""
_FILE_COMMANDS = (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL)


def confine(*, memory_bytes: int, cpu_seconds: int, readable: Sequence[Path], private: Path) -> None:
    """Permanently give up everything that reading does not need. `readable` are the files to read besides Python itself;
    nothing else in the folder `private` can be read."""
    _die_with_parent()
    _limit_resources(memory_bytes=memory_bytes, cpu_seconds=cpu_seconds)
    if "landlock" not in missing():
        _restrict_files(readable, private.resolve())
    if "seccomp" not in missing():
        _filter_system_calls()


def missing() -> list[str]:
    """The protections that this system lacks."""
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
    folders = {Path(folder).resolve() for folder in sys.path}
    modules = [path for path in folders if not (private.is_relative_to(path) or path.is_relative_to(private))]
    system = [Path(path).resolve() for path in (sys.prefix, sys.base_prefix, *_SYSTEM_FOLDERS)]
    with Ruleset(scoped=Scope.SIGNAL | Scope.ABSTRACT_UNIX_SOCKET) as rules:
        for path in (*modules, *(inner for folder in system for inner in _without_folder(private, folder))):
            with suppress(FileNotFoundError):
                rules.allow_path(path, look if path.is_dir() else AccessFS.READ_FILE)
        for file in files:
            with suppress(FileNotFoundError):
                rules.allow_path(file, AccessFS.READ_FILE)
        rules.restrict()


def _without_folder(private: Path, path: Path) -> Iterator[Path]:
    """`path`, or all that is in it besides the folder `private`."""
    if not private.is_relative_to(path):
        yield path
    elif path != private:
        for inner in path.iterdir():
            if not inner.is_symlink():
                yield from _without_folder(private, inner)


def _filter_system_calls() -> None:
    from seccompy import Action, ArgCmp, CmpOp, Filter, UnsupportedError

    def allow(name: str, *arguments: ArgCmp) -> None:
        with suppress(ValueError, UnsupportedError):  # not every architecture has each of them
            rules.allow(name, args=arguments)

    rules = Filter(default=Action.ERRNO | errno.EPERM)
    for name in _SYSTEM_CALLS:
        allow(name)
    for command in _FILE_COMMANDS:
        allow("fcntl", ArgCmp(1, CmpOp.EQ, command))
    allow("madvise", ArgCmp(2, CmpOp.LT, _MIN_HARMFUL_ADVICE))
    allow("openat", ArgCmp(2, CmpOp.MASKED_EQ, 0, mask=_WRITING_FLAGS))
    allow("open", ArgCmp(1, CmpOp.MASKED_EQ, 0, mask=_WRITING_FLAGS))
    allow("prlimit64", ArgCmp(2, CmpOp.EQ, 0))
    rules.load()
