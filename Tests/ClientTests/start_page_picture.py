"""Takes the picture of the start page for README.md: `python start_page_picture.py`, with SEKISHO_BIN as for the tests."""

import base64
import tempfile
from pathlib import Path

import requests

import gateway
from browser import browser
from client import PASSWORD
from dev_pages import open_page

PICTURE = Path(__file__).parents[2] / "Deploy" / "start-page.png"
WIDTH = 1200


def fill(dev):
    """Makes accounts, emails and requests, so that each list of the start page has rows."""
    open_page(dev, "/dev/data").submit("samples")
    for name in ("ada", "grace", "mary"):
        account = {"email": f"{name}@example.com", "password": PASSWORD}
        for operation, body in [
            ("signUp", account), ("signInWithPassword", {**account, "password": "a wrong one"}),
            ("sendOobCode", {"requestType": "PASSWORD_RESET", "email": account["email"]}),
            ("signInWithPassword", account),
        ]:
            requests.post(f"{dev.url}/v1/accounts:{operation}?key=any", json=body, timeout=30)


def main():
    with tempfile.TemporaryDirectory() as folder, gateway.dev(Path(folder)) as dev, browser() as window:
        fill(dev)
        window.set_screen(WIDTH, is_dark=False)
        window.open(dev.url + "/")
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": window.evaluate("document.body.scrollHeight"), "scale": 0.75}
        window.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        taken = window.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
        PICTURE.write_bytes(base64.b64decode(taken["data"]))
    print(f"{PICTURE}: {PICTURE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
