"""Name what each email is about, because the outbox no longer shows subjects."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

# The subjects until now, in English, German, and French.
_SUBJECTS = {
    "account_deleted": ("Your account is deleted", "Ihr Konto ist gelöscht", "Votre compte est supprimé"),
    "account_disabled": ("Your account was disabled", "Ihr Konto wurde gesperrt", "Votre compte a été désactivé"),
    "account_enabled": ("Your account was enabled", "Ihr Konto wurde freigegeben", "Votre compte a été réactivé"),
    "account_exists": ("You have an account already", "Sie haben schon ein Konto", "Vous avez déjà un compte"),
    "api_token_created": ("An API token was made", "Ein API-Token wurde erstellt", "Un jeton d’API a été créé"),
    "email_change": (
        "Your email address is about to change",
        "Ihre E-Mail-Adresse soll geändert werden",
        "Votre adresse e-mail va changer",
    ),
    "email_confirmation": ("Confirm your email address", "Bestätigen Sie Ihre E-Mail-Adresse", "Confirmez votre adresse e-mail"),
    "invitation": ("% invites you to Fundwright", "% lädt Sie zu Fundwright ein", "% vous invite sur Fundwright"),
    "invoice": ("Invoice %", "Rechnung %", "Facture %"),
    "new_email_confirmation": (
        "Confirm your new email address",
        "Bestätigen Sie Ihre neue E-Mail-Adresse",
        "Confirmez votre nouvelle adresse e-mail",
    ),
    "passkey_added": ("A passkey was added", "Ein Passkey kam hinzu", "Une clé d’accès a été ajoutée"),
    "passkey_removed": ("A passkey was removed", "Ein Passkey wurde entfernt", "Une clé d’accès a été retirée"),
    "password_changed": ("Your password was changed", "Ihr Passwort wurde geändert", "Votre mot de passe a été changé"),
    "password_reset": ("Choose a new password", "Neues Passwort wählen", "Choisir un nouveau mot de passe"),
    "recovery_code_used": (
        "A recovery code was used",
        "Ein Wiederherstellungscode wurde benutzt",
        "Un code de récupération a été utilisé",
    ),
    "role_changed": ("Your role was changed", "Ihre Rolle wurde geändert", "Votre rôle a été modifié"),
    "second_factor_off": (
        "Two-step verification is off",
        "Die Bestätigung in zwei Schritten ist ausgeschaltet",
        "La vérification en deux étapes est désactivée",
    ),
    "second_factor_on": (
        "Two-step verification is on",
        "Die Bestätigung in zwei Schritten ist eingeschaltet",
        "La vérification en deux étapes est activée",
    ),
    "session_replayed": (
        "You were signed out for your safety",
        "Sie wurden zu Ihrer Sicherheit abgemeldet",
        "Vous avez été déconnecté par sécurité",
    ),
}


def upgrade() -> None:
    op.add_column("mail", sa.Column("kind", sa.String(), nullable=False, server_default="other"))
    op.alter_column("mail", "kind", server_default=None)
    set_kind = sa.text("UPDATE mail SET kind = :kind WHERE subject LIKE ANY (:subjects)")
    for kind, subjects in _SUBJECTS.items():
        op.get_bind().execute(set_kind, {"kind": kind, "subjects": list(subjects)})
