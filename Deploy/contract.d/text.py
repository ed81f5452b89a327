"""HTML elements, and the contract's descriptions as HTML: paragraphs, lists, `code` and **bold**."""

import html
import re


def escaped(text):
    return html.escape(str(text), quote=True)


def inline_html(text):
    """One line of a description, as HTML."""
    text = escaped(text.strip())
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def paragraphs(text):
    """A whole description, as paragraphs and lists."""
    return "".join(_block(part) for part in re.split(r"\n\s*\n", (text or "").strip()) if part)


def _block(part):
    if part.startswith("- "):
        return "<ul>" + "".join(f"<li>{inline_html(item)}</li>" for item in re.split(r"(?:^|\n)- ", part)[1:]) + "</ul>"
    return f"<p>{inline_html(' '.join(part.split()))}</p>"


def tag(name, content, **attributes):
    """An element. The content is HTML already; `class_` is the attribute `class`."""
    written = "".join(f' {key.rstrip("_")}="{escaped(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>{content}</{name}>"


def anchor_link(element_id, text):
    return tag("a", escaped(text), href=f"#{element_id}")


def table(rows, label):
    """A table below a heading. The cells and the label are HTML already."""
    if not rows:
        return ""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<h4>{label}</h4><table>{body}</table>"
