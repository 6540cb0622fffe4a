"""Everything an operator can set, from `FUNDWRIGHT_…` environment variables or a `.env` file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, IPvAnyNetwork, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from fundwright.core.errors import StartRefused

_CHECKOUT, _PACKAGE = Path(__file__).parents[3], Path(__file__).parents[1]
_IS_INSTALLED = not (_CHECKOUT / "pyproject.toml").exists()
_HOME = Path.home() / ".local/share/fundwright" if _IS_INSTALLED else _CHECKOUT
"""Folder of `data` and `.env`, wherever the command is started."""
BUILT = _PACKAGE if _IS_INSTALLED else _CHECKOUT
"""Folder of setup's build results, which the wheel contains."""


class PackageSettings(BaseSettings):
    """Base class of a package's settings, with its own `env_prefix`. One instance per process, created at startup and never changed."""

    model_config = SettingsConfigDict(
        env_file=_HOME / ".env", env_ignore_empty=True, extra="ignore", frozen=True, validate_default=True
    )

    @classmethod
    def variables(cls, name: str) -> list[str]:
        """The environment variables that set the field `name`."""
        alias = cls.model_fields[name].validation_alias
        found = alias.choices if isinstance(alias, AliasChoices) else [f"{cls.model_config.get('env_prefix', '')}{name}"]
        return [str(each).upper() for each in found]

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Load the settings of this process; `given` values take precedence. Raises StartRefused, without repeating a value."""
        try:
            return cls(**given)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            name = str(first["loc"][0])
            reason = first["msg"]
        except SettingsError as error:  # a list that is not JSON
            name = str(error).split('"')[1]
            reason = "Input should be JSON"
        variable = cls.variables(name)[0] if name in cls.model_fields else name.upper()
        raise StartRefused(f"The setting {variable} cannot be used: {reason}. Correct it and start again.")


class Settings(PackageSettings):
    """The settings of Fundwright itself."""

    model_config = SettingsConfigDict(env_prefix="FUNDWRIGHT_")

    data: Path = Field(default=Path("data"), description="Folder for the database, uploaded files, and keys.")
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("FUNDWRIGHT_DATABASE_URL", "DATABASE_URL"),
        description="A PostgreSQL server (15 or newer, with the `vector` extension 0.8 or newer) to use instead of the embedded one. Its "
        "account must not own the database.",
    )
    owner_url: SecretStr | None = Field(
        default=None,
        description="Address of the same database, without a pooler, with the account that owns it. Only what migrates needs it.",
    )
    direct_url: SecretStr | None = Field(
        default=None,
        description="Address of the same database without a pooler, needed if `DATABASE_URL` leads through one in transaction mode.",
    )
    migrate: bool = Field(
        default=True,
        description="Whether each command migrates the database when it starts. With `false`, only `fundwright migrate` does, and other "
        "commands do not start until it has. With a server of your own, migrating always needs `FUNDWRIGHT_OWNER_URL`.",
    )
    host: str = Field(default="127.0.0.1", description="Address on which the web server listens.")
    port: int = Field(default=8000, ge=0, le=65_535, description="Port on which the web server listens.")
    public_url: str | None = Field(
        default=None,
        description="Address that people open, including the path prefix: used in links and as the allowed origin of the socket.",
    )
    trusted_proxies: list[IPvAnyNetwork] = Field(
        default=[],
        description="Addresses or networks of your proxies, as a JSON list: their `X-Forwarded-For` and `X-Forwarded-Proto` are trusted.",
    )
    allowed_origins: list[str] = Field(
        default=[],
        description="Additional origins that may open the socket, as a JSON list. Without a public URL, the server also accepts their hosts.",
    )
    max_connections: int = Field(
        default=10_000,
        ge=64,
        description="Most connections to a web process. It is lower where the system allows fewer open files.",
    )
    max_connections_per_address: int = Field(
        default=256,
        ge=8,
        description="Most connections of people who are not signed in from one network address. Trusted proxies have no such limit.",
    )
    resume_s: float = Field(
        default=60, gt=0, description="Seconds that the server keeps an open page after it has lost its connection."
    )
    handler_timeout_s: float = Field(
        default=30, gt=0, description="Seconds that a click or a form submission may run on the server before it is canceled."
    )
    request_timeout_s: float = Field(
        default=40,
        gt=0,
        description="Seconds until a request that has arrived is answered with 503. Exports have longer.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest severity of log lines that are written."
    )
    log_format: Literal["console", "json"] = Field(default="console", description="Format of log lines: `console` or `json`.")
    unknown_email: str = Field(
        default="unknown@unknown.com", description="Placeholder address whose token never opens a guarded page."
    )
    kept_session_hours: float = Field(
        default=120,
        gt=0,
        description="Maximum hours of a sign-in with Keep Me Signed In. Changes of this and the next three settings apply to new sign-ins.",
    )
    kept_idle_hours: float = Field(default=72, gt=0, description="Hours without use after which such a sign-in ends.")
    session_hours: float = Field(default=12, gt=0, description="Maximum hours of any other sign-in.")
    idle_hours: float = Field(default=2, gt=0, description="Hours without use after which any other sign-in ends.")
    open_registration: bool = Field(default=False, description="Whether people may register without an invitation.")
    uniform_errors: bool = Field(
        default=False, description="Whether `/api/account/login` and `register` hide which addresses have an account."
    )
    reauthentication_minutes: int = Field(
        default=10, ge=1, description="Minutes after a sign-in during which sensitive changes require no re-authentication."
    )
    contact_email: str | None = Field(
        default=None, description="Email address, shown to visitors, to ask for an account or a different plan."
    )
    terms_url: str | None = Field(default=None, description="Address of the terms that people agree to when they register.")
    smtp_host: str | None = Field(
        default=None,
        description="SMTP server for outgoing email. Without one, emails stay in the outbox, and `fundwright mail` prints them.",
    )
    smtp_port: int = Field(default=587, ge=1, le=65_535, description="Port of the SMTP server.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="How the connection to it is encrypted: `starttls`, `tls` from the start, or `none`."
    )
    smtp_user: str | None = Field(default=None, description="Account on the SMTP server.")
    smtp_password: SecretStr | None = Field(default=None, description="Password of that account.")
    mail_from: str = Field(default="Fundwright <fundwright@localhost>", description="Sender of emails.")
    analytics_url: str | None = Field(
        default=None,
        description='Analytics service that receives each page view by POST, as `{"page_path": "/dashboard/train"}`, without the person.',
    )
    maintenance: str | None = Field(
        default=None,
        description="Closes the installation to everyone except administrators: `true`, or a sentence that says why and until when.",
    )
    job_concurrency: int = Field(
        default=2,
        ge=1,
        description="Long jobs of one account, such as training and imports, that run at the same time, and drafts beside them. Each "
        "worker has slots for four accounts. Emails have their own slot.",
    )
    max_upload_bytes: int = Field(default=1_000_000_000, description="Largest file that can be uploaded, in bytes.")
    account_bytes: int = Field(
        default=1_000_000_000,
        ge=0,
        description="Bytes of documents that an account may have added, in all its workspaces, and of files that it may have waiting to be imported. Administrators have no limit.",
    )
    embedder: str = Field(
        default="minilm", description="Embedding model: `minilm`, `openai`, `onnx`, or one that a plug-in registers."
    )
    embedder_url: str | None = Field(default=None, description="Base URL of an OpenAI-compatible embeddings endpoint.")
    embedder_key: SecretStr | None = Field(default=None, description="Key for that endpoint.")
    embedder_model: str | None = Field(default=None, description="Name of the model at that endpoint.")
    embedder_folder: Path | None = Field(default=None, description="Folder with `model.onnx` and `tokenizer.json` for `onnx`.")
    writer: str = Field(default="extractive", description="Text model: `extractive`, `openai`, or one that a plug-in registers.")
    writer_url: str | None = Field(default=None, description="Base URL of an OpenAI-compatible chat endpoint.")
    writer_key: SecretStr | None = Field(default=None, description="Key for that endpoint.")
    writer_model: str | None = Field(default=None, description="Name of the model at that endpoint.")
    models: Path = Field(default=Path("var/models"), description="Folder where `make setup` puts the local model.")
    web_dist: Path = Field(default=Path("web/dist"), description="Folder with the built web client.")

    @property
    def is_closed(self) -> bool:
        """Whether only administrators may enter; `maintenance` then says why, or is empty."""
        return self.maintenance is not None

    @property
    def sends_mail(self) -> bool:
        """Whether email is sent; otherwise, it stays in the outbox."""
        return self.smtp_host is not None

    @property
    def address(self) -> str:
        """The address where people open Fundwright, without a trailing slash. Links use it, never a request's host."""
        return self.public_url or f"http://{self.host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether links work on this computer only."""
        host = urlsplit(self.address).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or host.startswith("127.") or host == "::1"

    @field_validator("public_url")
    @classmethod
    def _is_address(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "http://x")
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
            raise ValueError("it should be an address such as https://funding.example.org")
        return url and url.rstrip("/")

    @field_validator("contact_email")
    @classmethod
    def _is_email(cls, email: str | None) -> str | None:
        if email is not None and not re.fullmatch(r"[^\s@?&]+@[^\s@?&]+", email):
            raise ValueError("it should be an email address such as grants@example.org")
        return email

    @field_validator("analytics_url")
    @classmethod
    def _is_web_address(cls, url: str | None) -> str | None:
        parts = urlsplit(url or "http://x")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it should be an address such as https://analytics.example.org/collect")
        return url

    @field_validator("maintenance")
    @classmethod
    def _is_switch_or_sentence(cls, text: str | None) -> str | None:
        switch = {"true": "", "yes": "", "on": "", "1": "", "false": None, "no": None, "off": None, "0": None}
        return switch.get(text.strip().lower(), text.strip()) if text is not None else None

    @field_validator("data")
    @classmethod
    def _from_home(cls, folder: Path) -> Path:
        return _HOME / folder

    @field_validator("models", "web_dist")
    @classmethod
    def _from_built(cls, folder: Path) -> Path:
        return BUILT / folder
