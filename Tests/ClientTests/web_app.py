"""The web app of `web_app/` in Chromium.

Its `sign_in.js` sends the messages of Firebase's JavaScript SDK, but does not use the SDK.
"""

from contextlib import contextmanager
from urllib.parse import urlencode

from browser import browser
from certificates import certificate
from simulators import fresh_person
from web_site import files, site

GAPI_HOST = "apis.google.com"


@contextmanager
def browser_with_gapi(folder, *, ports=None):
    """Yields Chromium and a certificate. Chromium reaches only loopback, and gets gapi.js instead of Google's script.

    `ports` maps further host names to ports on loopback; Chromium resolves no other names. Servers for these names use
    the certificate.
    """
    served = certificate(folder, GAPI_HOST, *(ports or {}))
    script = files("gapi.js")["/gapi.js"]
    with site({"/js/api.js": script}, tls=served.context()) as script_host:
        names = {GAPI_HOST: script_host.port} | (ports or {})
        rules = [f"MAP {name} 127.0.0.1:{port}" for name, port in names.items()]
        rules += ["MAP * ~NOTFOUND", "EXCLUDE localhost", "EXCLUDE 127.0.0.1"]
        arguments = [
            f"--host-resolver-rules={', '.join(rules)}",
            f"--ignore-certificate-errors-spki-list={served.key_hash}"]
        with browser(arguments=arguments) as window:
            yield window, served


class WebApp:
    """One tab with the app. `settings` say where it finds the gateway."""

    def __init__(self, window, url, **settings):
        self.window, self.driver = window, window.driver
        self.url = f"{url}?{urlencode(settings)}"
        self.main = self.driver.current_window_handle

    def open(self):
        self.window.open(self.url)
        self.wait(lambda: self.driver.execute_script("return window.loaded"))
        return self

    def wait(self, condition):
        return self.window.wait(condition)

    def start(self, script, *values):
        """Starts an asynchronous call with `values` as the array `v`; `finish` returns its outcome."""
        self.driver.execute_script("window.outcome = undefined")
        self.driver.execute_script(f"""
            (async (...v) => {{ {script} }})(...arguments).then(
                value => window.outcome = {{ value: value ?? null }},
                error => window.outcome = {{
                    error: error.code ?? String(error), body: error.body ?? null }})""", *values)

    def finish(self):
        self.driver.switch_to.window(self.main)
        return self.wait(lambda: self.driver.execute_script("return window.outcome"))

    def run(self, script, *values):
        self.start(script, *values)
        outcome = self.finish()
        assert "value" in outcome, outcome
        return outcome["value"]

    def popup(self, provider, decide, **options):
        """Signs in through a popup; `decide` acts on the provider's page."""
        has_page = decide is not no_page
        self.start("return client.popup(v[0], v[1])", provider, options)
        if has_page and not self.in_popup(decide):
            # `sign_in.js` waits ten seconds for the frame, and the SDK five; a busy machine may need longer.
            assert self.finish()["error"] == "auth/network-request-failed"
            self.start("return client.popup(v[0], v[1])", provider, options)
            assert self.in_popup(decide), self.finish()
        return self.finish()

    def in_popup(self, decide):
        """Applies `decide` to the popup. Returns whether a popup opened before the call ended."""
        self.wait(lambda: len(self.driver.window_handles) > 1
                  or self.driver.execute_script("return window.outcome !== undefined"))
        others = [handle for handle in self.driver.window_handles if handle != self.main]
        if others:
            self.driver.switch_to.window(others[0])
            try:
                decide(self.window)
            except BaseException:
                # An open popup would fail the next tests too.
                self.driver.close()
                self.driver.switch_to.window(self.main)
                raise
        return bool(others)

    def redirect(self, provider, decide, **options):
        """Signs in through a redirect and returns its result."""
        self.driver.execute_script("void client.redirect(arguments[0], arguments[1])", provider, options)
        decide(self.window)
        return self.redirect_result()

    def redirect_result(self):
        self.wait(lambda: self.driver.current_url.split("#")[0] == self.url)
        self.wait(lambda: self.driver.execute_script("return window.loaded"))
        self.start("return client.redirectResult()")
        return self.finish()


def consent(person=None, button="Continue as this person"):
    """Returns a `decide` that submits a simulated provider's consent page (default: as a new person)."""
    person = person or fresh_person()

    def decide(window):
        window.wait(lambda: window.elements("#email"))
        for name in ("givenName", "familyName", "email"):
            window.element(f"#{name}").send_keys(person[name])
        press(window, button)

    return decide


def press(window, button):
    """Clicks a button, after opening the `details` element if that hides it. Does not wait: the window may close."""
    if not window.labelled(button):
        window.element("summary").click()
    [found] = window.labelled(button)
    found.click()


def no_page(window):
    """A `decide` that does nothing, for a provider that signs the person in without a page."""
