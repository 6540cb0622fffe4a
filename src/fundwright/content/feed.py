"""The blog as RSS 2.0 (https://www.rssboard.org/rss-specification)."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import format_datetime
from html import escape
from xml.etree.ElementTree import Element, SubElement, tostring

from fundwright.content.schemas import PublishedPost

_ATOM = "http://www.w3.org/2005/Atom"


def rss(posts: Sequence[PublishedPost], *, address: str) -> bytes:
    """The feed of `posts`, newest first, of the blog with pages below `address`."""
    feed = Element("rss", {"version": "2.0", "xmlns:atom": _ATOM})
    channel = SubElement(feed, "channel")
    _add(channel, "title", "Fundwright")
    _add(channel, "link", f"{address}/blog")
    _add(channel, "description", "News of Fundwright")
    _add(channel, "atom:link", "", href=f"{address}/blog/rss.xml", rel="self", type="application/rss+xml")
    for post in posts:
        link = f"{address}/blog/{post.slug}"
        item = SubElement(channel, "item")
        _add(item, "title", post.title)
        _add(item, "link", link)
        _add(item, "guid", link, isPermaLink="true")
        _add(item, "pubDate", format_datetime(post.published_at))
        _add(item, "description", escape(post.summary))  # readers take it for HTML
    return tostring(feed, encoding="utf-8", xml_declaration=True)


def _add(parent: Element, name: str, text: str, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = text
