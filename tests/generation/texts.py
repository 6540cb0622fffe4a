"""The text of a section with all Markdown elements."""

from __future__ import annotations

RICH = """We **repair** roofs [1]. We *like* [it](https://example.org/?a=1&b=2 "x") and `code`, ~~not~~ this [2].

## Methods

- Shingles [2]
  - Nested, with **bold**
    1. First
    2. Second
- Gutters

  A second paragraph of the item.

### Steps

1. Alpha
2. Beta

Then:

1. Gamma

3) From three

> Exceptional, said the customer [1][3].

```
SELECT 1;
  -- indented
```

| Project | Value |
|:--|--:|
| Hill base [3] | $742,000 |

| | |
|---|---|
| UEI | ABC |

---

שלום world
"""
