"""Images that the console uploads, over HTTP and in Chromium."""

import re
import struct
import zlib
from pathlib import Path

import pytest
import requests

import gateway
from accessibility import violations
from browser import browser
from dev_pages import BROWSER_HEADERS, FORM_HEADERS, Page
from installation import new_database

SEEDS = Path(__file__).parent.parent / "Fuzzing" / "Seeds" / "image"
PATH = "/console/demo/brand"


def png(width, height, padding=0):
    """An image of one colour, in a file that has `padding` further bytes."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = (b"\0" + b"\x80" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + (chunk(b"tEXt", b"a\0" + b"b" * padding) if padding else b"") + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b""))


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    path = folder / "brand-images"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        yield running


def open_page(running):
    return Page(running.url, requests.get(running.url + PATH, headers=BROWSER_HEADERS, timeout=30))


def upload(running, use, content, name="logo.png", kind="image/png"):
    form = open_page(running).forms[f"upload-{use}"]
    fields = {name: value for name, value in form.fields.items() if name != "content"}
    return Page(running.url, requests.post(
        running.url + form.action, data=fields, files={"content": (name, content, kind)},
        headers={**BROWSER_HEADERS, **FORM_HEADERS, "Origin": running.url}, timeout=30))


@pytest.mark.parametrize(("use", "file"), [("logo", "png"), ("darkLogo", "jpeg"), ("favicon", "webp")])
def test_an_image_of_each_format_is_stored_and_shown(own_dev, use, file):
    content = (SEEDS / file).read_bytes()
    page = upload(own_dev, use, content)
    assert page.status == 200 and "The image was saved." in page.text, page.text
    [path] = re.findall(r'<img src="([^"]+)"', page.html)
    assert requests.get(own_dev.url + path, timeout=30).content == content
    assert "img-src 'self'" in page.response.headers["Content-Security-Policy"]
    removed = page.submit(f"remove-{use}")
    assert "The image was removed." in removed.text and path not in removed.html


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "Image: this field is required."), (b"GIF89a", "Image is not a PNG, JPEG or WebP file, but must be"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "Image is not a PNG, JPEG or WebP file, but must be"),
    (png(1025, 1), "Image has 1025 × 1 pixels, but must be"), (png(1, 513), "Image has 1 × 513 pixels, but must be"),
    (png(1, 1, 65_536), "Image has 65617 bytes, but must be")],
    ids=["none", "gif", "svg", "wide", "high", "large"])
def test_another_file_is_rejected_with_the_reason(own_dev, content, reason):
    page = upload(own_dev, "logo", content)
    assert page.status == 400 and "This did not work. Nothing was changed." in page.text, page.text
    assert reason in page.text and "base64" not in page.text, page.text
    assert "<img" not in page.html


def test_a_file_that_is_much_too_large_is_not_read(own_dev):
    page = upload(own_dev, "logo", png(1, 1, 100_000))
    assert page.status == 413 and "An image has at most 64 KiB" in page.text and PATH in page.links


def test_the_largest_image_is_stored(own_dev):
    content = png(64, 64, 65_536 - len(png(64, 64, 1)) + 1)
    assert len(content) == 65_536
    page = upload(own_dev, "logo", content)
    assert page.status == 200 and "The image was saved." in page.text, page.text
    page.submit("remove-logo")


def test_a_path_and_quotation_marks_in_the_name_of_the_file_do_no_harm(own_dev):
    assert upload(own_dev, "logo", png(2, 2), name='../"; name="form.png').status in (200, 400)
    assert upload(own_dev, "logo", png(3, 3), name="C:\\logos\\ロゴ.png").status in (200, 400)


@pytest.mark.slow
@pytest.mark.parametrize("is_dark", [False, True])
def test_a_browser_uploads_a_logo_and_shows_it(own_dev, tmp_path, is_dark):
    file = tmp_path / "ロゴ 1.png"
    file.write_bytes(png(64, 16))
    with browser() as window:
        window.set_screen(320, is_dark)
        window.open(own_dev.url + PATH)
        assert violations(window) == []
        window.element("#upload-logo-content").send_keys(str(file))
        window.element("#upload-logo-form button[type=submit]").click()
        window.wait(lambda: "The image was saved." in window.text)
        window.wait(lambda: window.evaluate("document.querySelector('.preview img').naturalWidth") == 64)
        assert violations(window) == []
        assert window.evaluate("document.documentElement.scrollWidth") <= 320
        window.element("#remove-logo-form button[type=submit]").click()
        window.wait(lambda: "The image was removed." in window.text)
