"""Opens the pages of `sekisho dev` and submits their forms as a browser does."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

import requests

BROWSER_HEADERS = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FORM_HEADERS = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}


@dataclass
class Form:
    action: str
    fields: dict = field(default_factory=dict)


class _Parser(HTMLParser):
    """Collects the forms that a page posts, and the visible text."""

    def __init__(self):
        super().__init__()
        self.forms, self.links, self.text, self.ids = {}, [], [], set()
        self._form = self._textarea = self._select = None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes.get("href"))
        if tag == "form" and attributes.get("method") == "post":
            self._form = Form(attributes["action"])
            self.forms[attributes["id"].removesuffix("-form")] = self._form
        if self._form is None:
            return
        if tag == "input" and (attributes.get("type") != "checkbox" or "checked" in attributes):
            self._form.fields[attributes["name"]] = attributes.get("value", "")
        if tag == "textarea":
            self._textarea = attributes["name"]
            self._form.fields[self._textarea] = ""
        if tag == "select":
            self._select = attributes["name"]
        if tag == "option" and self._select and ("selected" in attributes or self._select not in self._form.fields):
            self._form.fields[self._select] = attributes["value"]

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        if tag == "textarea":
            self._form.fields[self._textarea] = self._form.fields[self._textarea].removeprefix("\n")
            self._textarea = None
        if tag == "select":
            self._select = None

    def handle_data(self, data):
        self.text.append(data)
        if self._textarea:
            self._form.fields[self._textarea] += data


class Page:
    def __init__(self, url, response):
        self.url, self.response = url, response
        self.status, self.html = response.status_code, response.text
        parser = _Parser()
        parser.feed(self.html)
        self.forms, self.links, self.ids = parser.forms, parser.links, parser.ids
        self.text = " ".join("".join(parser.text).split())

    def submit(self, form, headers=FORM_HEADERS, **values):
        """Submits a form with changed values, and returns the page that follows. `None` removes a field."""
        fields = {**self.forms[form].fields, **values}
        data = {name: value for name, value in fields.items() if value is not None}
        response = requests.post(
            self.url + self.forms[form].action, data=data, headers={**BROWSER_HEADERS, **headers}, timeout=30)
        return Page(self.url, response)


def open_page(gateway, path, **headers):
    response = requests.get(gateway.url + path, headers={**BROWSER_HEADERS, **headers}, timeout=30)
    return Page(gateway.url, response)
