"""The page at ``/docs``: the OpenAPI description for people, without scripts."""

from html import escape
from typing import Any

from sgtrees.serve.openapi import description

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: requests</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<header><h1>{title} {version}</h1></header>
<main>
<p>{text} For programs: <a href="openapi.json">openapi.json</a>. If the server has tokens, a
request has the header <code>Authorization: Bearer TOKEN</code>.</p>
{requests}
</main>
</body>
</html>
"""


def documentation() -> str:
    """Return the page.

    Examples
    --------
    >>> "<h2><code>POST /learn</code></h2>" in documentation()
    True
    """
    document = description()
    info = document["info"]
    requests = [
        _request(method, path, request)
        for path, methods in document["paths"].items()
        for method, request in methods.items()
    ]
    return _PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        text=escape(info["description"]),
        requests="\n".join(requests),
    )


def _request(method: str, path: str, request: dict[str, Any]) -> str:
    parts = [
        f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>",
        f"<p>{escape(request['summary'])}.</p>",
    ]
    if "requestBody" in request:
        kinds = ", ".join(
            f"<code>{escape(kind)}</code>" for kind in request["requestBody"]["content"]
        )
        parts.append(f"<p>Body: {kinds}</p>")
    parameters = [
        (f"{each['name']} ({each['in']})", each["description"])
        for each in request.get("parameters", ())
    ]
    if parameters:
        parts.append(_table("Parameters", parameters))
    replies = [(status, reply["description"]) for status, reply in request["responses"].items()]
    return "\n".join([*parts, _table("Replies", replies), "</section>"])


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    cells = "\n".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(text)}</td></tr>"
        for name, text in rows
    )
    return f"<h3>{title}</h3>\n<table><tbody>\n{cells}\n</tbody></table>"
