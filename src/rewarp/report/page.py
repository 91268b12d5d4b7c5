"""HTML pages: a template of ours with style, script and data inside it; nothing is loaded from anywhere."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from rewarp.escape import page_data

_SHARED = {
    "__REWARP_STYLE__": "style.css",
    "__REWARP_SCRIPT__": "page.js",
    "__REWARP_SITE_PARTS__": "site_parts.js",
    "__REWARP_SITE_PATCH__": "site_patch.js",
    "__REWARP_SITE_REST__": "site_rest.js",
}


def fill(template: str, data: Any) -> str:
    """The template of that name with what all pages share, and the data, in place of their marks."""
    # "</" must not end the script element, and "<!--" must not open a comment in it.
    payload = json.dumps(page_data(data), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    text = _template(template)
    for mark, name in _SHARED.items():
        text = text.replace(mark, _template(name)) if mark in text else text
    return text.replace("__REWARP_DATA__", payload)


def _template(name: str) -> str:
    return (files("rewarp.report") / "templates" / name).read_text(encoding="utf-8")
