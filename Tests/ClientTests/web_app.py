"""The web app of `web_app/` in Chromium.

Its `sign_in.js` sends the messages of Firebase's JavaScript SDK, but does not use the SDK.
"""

from contextlib import contextmanager
from urllib.parse import urlencode

from browser import browser
from certificates import create_certificate
from simulators import fresh_person
from web_site import site, web_app_files

GAPI_HOST = "apis.google.com"


@contextmanager
def isolated_browser(folder, *, ports=None, records_requests=False):
    """Yields Chromium and a certificate. Chromium reaches only loopback; `gapi.js` replaces Google's script.

    `ports` maps further host names, and addresses with a port such as `127.0.0.1:9099`, to ports on loopback; Chromium
    resolves no other names. Servers for these names use the certificate. `records_requests` is that of `browser`.
    """
    certificate = create_certificate(folder, GAPI_HOST, *(name for name in ports or {} if ":" not in name))
    script = web_app_files("gapi.js")["/gapi.js"]
    with site({"/js/api.js": script}, tls=certificate.server_context()) as script_host:
        names = {GAPI_HOST: script_host.port} | (ports or {})
        rules = [f"MAP {name} 127.0.0.1:{port}" for name, port in names.items()]
        # The first rule that matches applies. With `EXCLUDE 127.0.0.1`, no rule for a port of it would.
        rules += ["MAP 127.0.0.1 127.0.0.1", "MAP * ~NOTFOUND", "EXCLUDE localhost"]
        arguments = [
            f"--host-resolver-rules={', '.join(rules)}",
            f"--ignore-certificate-errors-spki-list={certificate.public_key_hash}"]
        with browser(arguments=arguments, records_requests=records_requests) as window:
            yield window, certificate


class WebApp:
    """One tab with the app. `settings` say where the app finds the gateway.

    A call of the app has an outcome: a dictionary with `value`, or with `error` (the code) and `body`.
    """

    def __init__(self, window, url, **settings):
        self.window, self.driver = window, window.driver
        self.url = f"{url}?{urlencode(settings)}"
        self.main_window = self.driver.current_window_handle

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
        """Waits for the outcome of the call that `start` began, and returns it."""
        self.driver.switch_to.window(self.main_window)
        return self.wait(lambda: self.driver.execute_script("return window.outcome"))

    def run(self, script, *values):
        """Runs an asynchronous call that must succeed, and returns its value."""
        self.start(script, *values)
        outcome = self.finish()
        assert "value" in outcome, outcome
        return outcome["value"]

    def popup(self, provider, act_on_page, **options):
        """Signs in through a popup, and returns the outcome. `act_on_page` acts on the provider's page in the popup."""
        has_page = act_on_page is not no_provider_page
        self.start("return client.popup(v[0], v[1])", provider, options)
        if has_page and not self.apply_in_popup(act_on_page):
            # `sign_in.js` waits ten seconds for the frame, and the SDK five; a busy machine may need longer.
            assert self.finish()["error"] == "auth/network-request-failed"
            self.start("return client.popup(v[0], v[1])", provider, options)
            assert self.apply_in_popup(act_on_page), self.finish()
        return self.finish()

    def apply_in_popup(self, act_on_page):
        """Applies `act_on_page` to the popup. Returns whether a popup opened before the call ended."""
        self.wait(lambda: len(self.driver.window_handles) > 1
                  or self.driver.execute_script("return window.outcome !== undefined"))
        others = [handle for handle in self.driver.window_handles if handle != self.main_window]
        if others:
            self.driver.switch_to.window(others[0])
            try:
                act_on_page(self.window)
            except BaseException:
                # With this popup still open, the next tests would fail too.
                self.driver.close()
                self.driver.switch_to.window(self.main_window)
                raise
        return bool(others)

    def redirect(self, provider, act_on_page, **options):
        """Signs in through a redirect, and returns the outcome. `act_on_page` acts on the provider's page."""
        self.driver.execute_script("void client.redirect(arguments[0], arguments[1])", provider, options)
        act_on_page(self.window)
        return self.redirect_result()

    def redirect_result(self):
        self.wait(lambda: self.driver.current_url.split("#")[0] == self.url)
        self.wait(lambda: self.driver.execute_script("return window.loaded"))
        self.start("return client.redirectResult()")
        return self.finish()


def answer_consent_page(person=None, button="Continue as this person"):
    """Returns a function that fills in a simulated provider's consent page for `person`, and clicks a button.

    The default of `person` is a new person.
    """
    person = person or fresh_person()

    def act_on_page(window):
        window.wait(lambda: window.elements("#email"))
        for name in ("givenName", "familyName", "email"):
            window.element(f"#{name}").send_keys(person[name])
        press_button(window, button)

    return act_on_page


def press_button(window, button):
    """Clicks a button; first opens the `details` element if that hides the button.

    Does not wait for the next page, because the window may close.
    """
    if not window.buttons_and_links(button):
        window.element("summary").click()
    [found] = window.buttons_and_links(button)
    found.click()


def no_provider_page(window):
    """Does nothing, for a provider that signs the person in without a page."""
