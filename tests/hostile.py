"""Texts that a careless page would run, draw as markup, or compute: names that users may give to anything."""

from __future__ import annotations

MARKUP = [
    "<script>window.hit = 1</script>",
    "</script><script>window.hit = 1</script>",
    "<!-- <img src=x onerror='window.hit = 1'>",
    "--></style></title><b>",
    '"><img src=x onerror="window.hit = 1">',
    "' onmouseover='window.hit = 1",
    "<svg/onload=window.hit=1>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href='javascript:window.hit=1'>link</a>",
    "</textarea><form action=x><b>",
    "<style>*{display:none}</style>",
    "<?xml version='1.0'?><b>",
    "<![CDATA[<b>",
    "]]><b>",
    "<!DOCTYPE html [<!ENTITY x 'y'>]>&x;",
    "&lt;b&gt; &amp; &#60;",
    "&#x3c;img src=x onerror=window.hit=1&#x3e;",
    "&",
    "<",
]
CODE = [
    *("javascript:window.hit=1", "{{constructor.constructor('window.hit=1')()}}", "${window.hit = 1}"),
    *("`window.hit = 1`", '"; window.hit = 1; //', "'; window.hit = 1; //", "\\", "\\u003cscript\\u003e", "%3Cb%3E"),
    *("$& $1 %s", "__proto__", "constructor", "toString", "null", "NaN", "#row=0&tab=about", "../../etc/passwd"),
    '__import__("os").abort()',
]
FORMULAS = [
    "=1+1",
    "+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "\x01=1+1",
    "\ufeff=1+1",
    "\uff1d1+1",  # of full width, which some spreadsheets take for =
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("file:///x";"y")',
]
LETTERS = [
    *("\u202eright to left\u202c", "שלום عالم", "\U0001f600\U0001f468\u200d\U0001f469"),
    *("Z\u0351\u036b\u0343\u036a\u0302\u036bA\u0334\u0335\u031e\u0347\u0345", "a\nb\r\nc", "\u2028\u2029"),
    *("x" * 10_000, "\x00\x01\x1b[31m", "\x7f\x80\x9f", "\ufffe\uffff", "half \ud83d of a letter"),
    *("the other \ude00 half", "   ", "a,b;c\td\"e'f"),
]
HOSTILE = [*MARKUP, *CODE, *FORMULAS, *LETTERS]


def in_utf8(text):
    """A text as a file has it: halves of letters, which UTF-8 does not know, are replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
