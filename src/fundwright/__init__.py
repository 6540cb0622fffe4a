"""Fundwright: find federal funding, sort it, learn your documents, draft with citations."""
