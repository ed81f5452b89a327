"""Apple's button on the sign-in page, measured in Chromium: with Apple's image, and with the image blocked.

App Review compares the buttons (guideline 4.8, and Apple's rules for the button): none may be larger than Apple's or
come before it. A name that needs more lines makes all buttons higher.
"""

import http.server
import json
import secrets
import ssl
import struct
import threading
import zlib
from contextlib import contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from browser import browser
from certificates import create_certificate
from installation import Installation, new_database

pytestmark = pytest.mark.slow
APPLE_HOST = "appleid.cdn-apple.com"
# The values that Apple publishes for the parameter `locale` of the image.
PUBLISHED_LOCALES = set("""
    ar_SA ca_ES cs_CZ da_DK de_DE el_GR en_GB en_US es_ES es_MX fi_FI fr_CA fr_FR hr_HR hu_HU id_ID it_IT iw_IL ja_JP
    ko_KR ms_MY nl_NL no_NO pl_PL pt_BR pt_PT ro_RO ru_RU sk_SK sv_SE th_TH tr_TR uk_UA vi_VI zh_CN zh_HK zh_TW
    """.split())
LOCALES = {
    "en": "en_US", "ja": "ja_JP", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "pt-BR": "pt_BR", "it": "it_IT",
    "ko": "ko_KR", "zh-Hans": "zh_CN", "zh-Hant": "zh_TW", "ar": "ar_SA", "id": "id_ID"}
SCREENS = {"phone": (320, 568), "desktop": (1280, 800)}
LONG_NAME = "Vereinigte Donaudampfschifffahrtsbetriebe und Partner"


class AppleImages(http.server.BaseHTTPRequestHandler):
    """Answers as Apple's server does: an image of the requested size, and 404 for other paths and parameters."""

    requested = []

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.requested.append(query)
        is_known = url.path == "/appleid/button" and query["locale"] in PUBLISHED_LOCALES
        self.send_response(200 if is_known else 404)
        content = b""
        if is_known:
            self.send_header("Content-Type", "image/png")
            scale = int(query.get("scale", 1))
            content = png(int(query["width"]) * scale, int(query["height"]) * scale, query.get("color", "black"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def png(width, height, color):
    """An image in one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + (b"\xff" if color == "white" else b"\0") * width
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))


@pytest.fixture(scope="module")
def apple_arguments(tmp_path_factory):
    """Options of Chromium that let a server of the test answer for Apple's host."""
    certificate = create_certificate(tmp_path_factory.mktemp("apple"), APPLE_HOST)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), AppleImages)
    server.socket = certificate.server_context().wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [
        f"--host-resolver-rules=MAP {APPLE_HOST}:443 127.0.0.1:{server.server_port}",
        f"--ignore-certificate-errors-spki-list={certificate.public_key_hash}"]
    server.shutdown()


@pytest.fixture(scope="module")
def page_url(folder, dev, apple_key):
    """The URL of the sign-in page of a `sekisho serve` with three providers, without the language."""
    installation = Installation(folder, new_database(dev.database_url)).with_project()
    path = folder / f"buttons-{secrets.token_hex(4)}.json"
    (folder / "logo.png").write_bytes(png(1024, 512, "white"))
    path.write_text(json.dumps({
        "project": "demo", "authorizedDomains": ["127.0.0.1"],
        "brand": {"name": LONG_NAME, "logoFile": str(folder / "logo.png"), "color": "#ffcc00"},
        "providers": {
            "apple.com": {
                "enabled": True, "clientIds": ["com.example.web"], "teamId": "TEAM123456", "keyId": "KEY1234567",
                "privateKey": apple_key},
            "google.com": {"enabled": True, "clientIds": ["web.apps.googleusercontent.com"], "clientSecret": "secret"},
            "oidc.company": {
                "enabled": True, "clientIds": ["client"], "clientSecret": "secret",
                "issuer": "https://id.example.com", "displayName": LONG_NAME, "relation": "social"}},
        "apps": {
            "web": {"platform": "web"},
            "short": {"platform": "web", "signInMethods": ["google.com", "apple.com", "password"]}}}))
    installation.run_ok(f"projects apply {path}")
    with installation.serving() as running:
        query = urlencode({
            "app": "web", "continueUri": f"{running.url}/healthz", "state": "state", "code_challenge": "c" * 43,
            "code_challenge_method": "S256"})
        yield f"{running.url}/demo/__/auth/signIn?{query}"


@contextmanager
def window(arguments, screen, is_dark):
    with browser(arguments=arguments) as opened:
        width, height = SCREENS[screen]
        opened.set_screen(width, is_dark, height)
        yield opened


def boxes(window):
    """The boxes of the buttons of providers, in the order of the page, each with its `provider`."""
    return window.evaluate("""[...document.querySelectorAll(".provider")].map(link => {
        const box = link.getBoundingClientRect(), style = getComputedStyle(link);
        return {
            provider: new URL(link.href).searchParams.get("providerId"), left: box.left, top: box.top,
            width: box.width, height: box.height, bottom: box.bottom, background: style.backgroundColor,
            shown: link.checkVisibility({opacityProperty: true, visibilityProperty: true}),
            overflow: link.scrollWidth > link.clientWidth || link.scrollHeight > link.clientHeight};
    })""")


def open_page(window, url, language, app="web"):
    return window.open(f"{url.replace('app=web', f'app={app}')}&hl={language}")


def check_boxes(window, screen, is_dark, providers=("apple.com", "google.com", "oidc.company")):
    found = boxes(window)
    apple, *others = found
    assert [box["provider"] for box in found] == list(providers)
    assert apple["height"] >= 44
    for box in found:
        assert box["shown"] and box["height"] == apple["height"]
        assert (box["left"], box["width"]) == (apple["left"], apple["width"])
    assert [lower["top"] - upper["bottom"] for upper, lower in zip(found, others)] == [12] * len(others)
    assert apple["bottom"] <= SCREENS[screen][1]
    assert window.evaluate("window.scrollY") == 0
    assert apple["background"] == ("rgb(255, 255, 255)" if is_dark else "rgb(0, 0, 0)")
    assert not any(box["overflow"] for box in others)
    assert window.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]
    return apple


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("screen", list(SCREENS))
def test_no_button_is_larger_than_that_of_apple_with_the_image(page_url, apple_arguments, screen, is_dark):
    with window(apple_arguments, screen, is_dark) as opened:
        for language in ["en", "de", "ar", "ja"]:
            AppleImages.requested.clear()
            apple = check_boxes(open_page(opened, page_url, language), screen, is_dark)
            *image, center = opened.evaluate("""(image => {
                const box = image.getBoundingClientRect();
                return [image.naturalWidth > 0, box.width, box.height, box.left + box.width / 2];
            })(document.querySelector(".apple img"))""")
            assert image == [True, 240, 44]
            assert abs(center - apple["left"] - apple["width"] / 2) <= 0.5
            [query] = AppleImages.requested
            # Apple's defaults are a black button with the title "Sign in with Apple", without a border.
            assert query == {
                "height": "44", "width": "240", "border_radius": "0", "locale": LOCALES[language]} | (
                    {"color": "white"} if is_dark else {})
        assert opened.console_messages() == []


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("screen", list(SCREENS))
def test_no_button_is_larger_than_that_of_apple_if_the_image_is_blocked(page_url, screen, is_dark):
    with window([f"--host-resolver-rules=MAP {APPLE_HOST} ~NOTFOUND"], screen, is_dark) as opened:
        for language, title in [
                ("en", "Sign in with Apple"), ("de", "Mit Apple anmelden"), ("ja", "Appleでサインイン"),
                ("ar", "تسجيل الدخول باستخدام Apple")]:
            check_boxes(open_page(opened, page_url, language), screen, is_dark)
            image = opened.element(".apple img")
            assert image.get_attribute("alt") == title
            # Chromium shows the text in place of the image.
            assert image.size["height"] > 0 and image.size["width"] > 100


@pytest.mark.parametrize("screen", list(SCREENS))
def test_buttons_with_short_titles_have_the_height_of_the_image(page_url, apple_arguments, screen):
    with window(apple_arguments, screen, False) as opened:
        for language in ["en", "ja", "ko", "zh-Hant"]:
            open_page(opened, page_url, language, "short")
            assert check_boxes(opened, screen, False, ["apple.com", "google.com"])["height"] == 44


def test_the_image_has_a_published_locale_in_every_language(page_url, apple_arguments):
    assert set(LOCALES.values()) <= PUBLISHED_LOCALES
    with window(apple_arguments, "phone", False) as opened:
        for language, locale in LOCALES.items():
            AppleImages.requested.clear()
            open_page(opened, page_url, language)
            assert [query["locale"] for query in AppleImages.requested] == [locale]
