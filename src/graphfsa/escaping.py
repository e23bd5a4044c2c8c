"""Names and words that come from anywhere, made harmless for what will read them.

HTML has its own module, ``html.py``: there, text is escaped by construction.
"""

from __future__ import annotations

import re

_JOINERS = "\u200c\u200d\u00a0"
"""Not printable by themselves, but parts of words in some scripts, and of emoji."""
_HIDDEN_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_LATEX = {
    **{character: "\\" + character for character in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_LATEX_LETTERS = str.maketrans(
    # In braces, or two of them would become one dash.
    {'"': r"{\char34}", "'": r"{\char39}", "`": r"{\char96}", "-": "{-}"}
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def terminal_text(text: str) -> str:
    r"""Text for a terminal: what would move the cursor, change colours or reverse the direction is written out.

    Example:
        >>> print(terminal_text("a\x1b[2Jb"))
        a\x1b[2Jb
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" or c in _JOINERS else repr(c)[1:-1] for c in text)


def terminal_json(text: str) -> str:
    """JSON for a terminal: the same values, with escapes for characters that are not seen."""
    return _HIDDEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def latex_text(text: str) -> str:
    r"""Text in LaTeX, with every special character escaped, on one line.

    Example:
        >>> print(latex_text("50 % of {x}"))
        50 \% of \{x\}
    """
    return "".join(_LATEX.get(c, c if c.isprintable() else " ") for c in text)


def latex_letters(text: str) -> str:
    """The same letter by letter: no two of them are set as one quotation mark or dash."""
    return latex_text(text).translate(_LATEX_LETTERS)


def latex_label(text: str) -> str:
    """What a label in LaTeX may be called: letters, digits and hyphens."""
    return re.sub("[^A-Za-z0-9]+", "-", text)


def markdown_name(text: str) -> str:
    """A name or title in Markdown: nothing in it is markup, and it stays on its line."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", _one_line(text))


def markdown_prose(text: str) -> str:
    """A sentence in Markdown, which may have code and links: no HTML, pictures, headings, lists or tables."""
    safe = _one_line(text).replace("<", "&lt;").replace("![", "!\\[")
    safe = re.sub(r"\]\((?!https?://|[\w./#-]+\))", r"]\\(", safe)  # Links to pages and files, and to nothing else.
    return re.sub(r"^(\s*)([#>|+*=~-])", r"\1\\\2", safe)


def spreadsheet_cell(text: str) -> str:
    """A name in CSV: one that a spreadsheet would take for a formula gets an apostrophe before it."""
    line = _one_line(text)
    return f"'{line}" if text.startswith(_FORMULA) else line


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
