"""Sharing with people without an account: the pages of share links, and the screens where they are created."""
