"""Fundwright: find federal funding, sort it, learn your documents, draft with citations."""

__version__ = "0.1.0"
