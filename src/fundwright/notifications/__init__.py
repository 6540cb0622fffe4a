"""Notifications of accounts: what happened, who is told, and how."""
