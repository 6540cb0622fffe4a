"""Expressions for values that texts of all kinds have: amounts, years, phone numbers, addresses."""

from __future__ import annotations

import re

MONEY = re.compile(
    r"[$€£]\s?\d+(?:[.,]\d+)*(?:[ \xa0\u202f]\d{3}(?!\d))*(?:\s?(?:[KMBkm]|thousand|million|billion)\b(?!-))?"
    r"|(?<![\d.,])\d[\d.,]*+ (?:EUR|USD|dollars|Euro)\b"
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
PHONE = re.compile(r"(?<![\d-])(?:\+\d{1,3} ?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)|\+\d{1,3}[ \d]{7,14}\d")
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
ADDRESS = re.compile(r"(?:\d{1,5} (?=[A-Z\d])|P\.?O\.? Box )[^\n;|]{4,80}?(?:,|\b[A-Z]{2}) \d{5}(?:-\d{4})?\b")
LINE = re.compile(r"[^\n]+")
NOT_TO_CITE = re.compile(
    r"\b(?:do not|don't|don’t|never) (?:cite|list|use|mention|name|quote|show)\b|\b(?:delete|remove) before\b|\bnot for (?:this|the) proposal\b",
    re.IGNORECASE,
)
NAME_WORDS = 12
"""The most words of what may be a name."""
