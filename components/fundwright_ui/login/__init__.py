"""The sign-in pages: sign-in, registration, password reset, and new email address."""

from __future__ import annotations

from dataclasses import replace

from fundwright_ui.login.confirm_email import confirm_email_screen
from fundwright_ui.login.first_admin import first_admin_screen
from fundwright_ui.login.register import register_screen
from fundwright_ui.login.reset import confirm_reset_screen, reset_password_screen
from fundwright_ui.login.second_factor import second_factor_screen
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.login.verify import verify_screen

SCREENS = (
    sign_in_screen,
    replace(sign_in_screen, path="/auth/login-unprotected", away_when_signed_in=None),
    register_screen,
    replace(register_screen, path="/auth/register-unprotected", away_when_signed_in=None),
    second_factor_screen,
    reset_password_screen,
    confirm_reset_screen,
    verify_screen,
    confirm_email_screen,
    first_admin_screen,
)

__all__ = ["SCREENS", "register_screen", "sign_in_screen"]
