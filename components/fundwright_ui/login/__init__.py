"""The sign-in family: login, registration, forgotten password."""

from __future__ import annotations

from fundwright_ui.login.first_admin import first_admin_screen
from fundwright_ui.login.register import register_screen
from fundwright_ui.login.reset import confirm_reset_screen, reset_password_screen
from fundwright_ui.login.sign_in import sign_in_screen
from fundwright_ui.runtime.router import Screen

SCREENS = (
    Screen("/auth/login", "Login", sign_in_screen, area="public", away_when_signed_in="/"),
    Screen("/feedback", "Login", sign_in_screen, area="public", away_when_signed_in="/"),
    Screen("/auth/login-unprotected", "Login", sign_in_screen, area="public"),
    Screen("/auth/register/{type}/{token}", "Register", register_screen, area="public", away_when_signed_in="/"),
    Screen("/auth/register-unprotected", "Register", register_screen, area="public"),
    Screen("/auth/reset-password", "Forgot password", reset_password_screen, area="public"),
    Screen("/auth/confirm-reset/{link}", "Choose a new password", confirm_reset_screen, area="public"),
    Screen("/auth/first-admin/{secret}", "First administrator", first_admin_screen, area="public"),
)

__all__ = ["SCREENS"]
