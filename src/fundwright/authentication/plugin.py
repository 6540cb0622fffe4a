"""The plug-in hooks of authentication."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fundwright.accounts.account_deletion import AccountDeletedHandler
from fundwright.accounts.dependencies import RequestAuthenticator
from fundwright.accounts.personal_data import PersonalDataReader
from fundwright.authentication import jobs, personal_data, request_authentication, service
from fundwright.authentication.requested_emails import SendEmail
from fundwright.core.jobs import JobHandler, Lane, no_actor
from fundwright.core.plugins import hookimpl

if TYPE_CHECKING:
    from fastapi import APIRouter


@hookimpl
def request_authenticators() -> Iterable[RequestAuthenticator]:
    return [request_authentication.authenticate_request]


@hookimpl
def job_handlers() -> Iterable[JobHandler[Any, Any]]:
    return [JobHandler(SendEmail, jobs.send_email, no_actor, lane=Lane.SHORT)]


@hookimpl(specname="personal_data")
def own_data() -> Iterable[PersonalDataReader]:
    return [personal_data.own_files]


@hookimpl
def account_deleted_handlers() -> Iterable[AccountDeletedHandler]:
    return [service.end_sessions_of_deleted]


@hookimpl
def api_routers() -> Iterable[APIRouter]:
    from fundwright.authentication import api, credentials_api, security_api

    return [api.router, credentials_api.router, security_api.router]
