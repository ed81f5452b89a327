"""The pages of `sekisho dev` in Chromium: by mouse and keyboard, wide and narrow, light and dark."""

import re

import pytest
import requests
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import gateway
from accessibility import violations
from browser import browser
from client import ADMIN_HEADERS, PASSWORD, fresh_email
from dev_pages import open_page
from installation import new_database

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    """A `dev` with a database of its own and with something to see on each page."""
    path = folder / "start-page-browser"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        fill(running)
        yield running


def fill(running):
    open_page(running, "/dev/data").submit("samples")
    body = {"email": "ada@example.com", "password": PASSWORD}
    requests.post(f"{running.url}/v1/accounts:signUp?key=any", json=body, timeout=30)
    requests.post(
        f"{running.url}/v1/accounts:signInWithPassword?key=any", json={**body, "password": "wrong"}, timeout=30)
    requests.post(
        f"{running.url}/v1/accounts:sendOobCode?key=any",
        json={"requestType": "PASSWORD_RESET", "email": body["email"]}, timeout=30)
    sign_in_with_apple(running)


def sign_in_with_apple(running, person=None):
    body = {"providerId": "apple.com", "person": person or {"id": "grace.hopper", "givenName": "Grace",
                                                            "email": "grace@example.com", "hidesEmail": True}}
    simulated = requests.post(
        f"{running.url}/emulator/v1/projects/demo/simulatedSignIns", json=body, timeout=30).json()
    return requests.post(
        f"{running.url}/v1/accounts:signInWithIdp?key=any",
        json={"requestUri": "http://localhost", "postBody": simulated["postBody"]}, timeout=30).json()


@pytest.fixture(scope="module")
def window():
    with browser(records_requests=True) as opened:
        yield opened


def paths(running):
    """The pages with their content, each under the path at which a user finds it."""
    email = re.search(r'href="(/dev/emails/[^"?]+)', open_page(running, "/dev/emails").html)[1]
    number = re.search(r'href="(/dev/requests/\d+)', open_page(running, "/dev/requests?kind=errors").html)[1]
    return [
        "/", "/console/demo/overview", "/console/demo/overview?range=LAST_30_DAYS", "/console/demo/accounts",
        "/console/demo/accounts/account?id=sample-2", "/console/demo/newAccount",
        "/console/demo/settings", "/console/demo/audit", "/console/demo/events", "/console/demo/providers",
        "/console/demo/tenants", "/console/demo/apps", "/console/demo/queues", "/console/demo/health", "/console/demo/brand", "/console/demo/texts",
        "/console/demo/apps/review?id=default",
        "/console/demo/accounts?list=name",
        "/dev/emails", email, f"{email}?view=dark", f"{email}?view=headers", "/dev/codes", "/dev/people",
        "/dev/people/person?id=grace.hopper", "/dev/clock", "/dev/requests", number, "/dev/data", "/nothing",
    ]


@pytest.mark.parametrize("width, is_dark", [(1280, False), (320, True)])
def test_the_pages_are_accessible_fit_the_window_and_load_nothing_foreign(own_dev, window, width, is_dark):
    window.set_screen(width, is_dark)
    window.requests()
    window.console_messages()
    for path in paths(own_dev):
        window.open(own_dev.url + path)
        assert violations(window) == [], path
        assert window.evaluate("document.documentElement.scrollWidth") <= width, path
        assert window.evaluate("document.querySelectorAll('h1').length") == 1
        for height in window.heights("main button, main .button, nav a, main input:not([type=checkbox]):not([type=hidden])"):
            assert height == 0 or height >= 44, path
        # Chromium reports the status 404 of the last page here.
        assert [text for text in window.console_messages() if "404" not in text] == []
    urls = [url for url in window.requested_urls() if not url.startswith("data:")]
    assert urls and all(url.startswith(own_dev.url) for url in urls)


def test_a_narrow_window_shows_the_heading_of_each_cell_and_keeps_the_table(own_dev, window):
    for width in (320, 1280):
        window.set_screen(width, False)
        window.open(own_dev.url + "/console/demo/audit")
        shown = window.evaluate("""[...document.querySelectorAll("table.wide td[data-heading]")].map((cell) => {
            const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
            const content = getComputedStyle(cell, "::before").content;
            return [head.textContent, head.getBoundingClientRect().right > 0, cell.dataset.heading, content];
        })""")
        assert len(shown) > 4
        for heading, is_in_window, data, content in shown:
            assert data == heading and is_in_window == (width > 320)
            # The empty text after the slash keeps screen readers from reading the heading twice.
            assert content == ("none" if width > 320 else f'"{heading}" / ""')
        nodes = window.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = [node["role"]["value"] for node in nodes if not node["ignored"]]
        assert roles.count("columnheader") == 5 and roles.count("cell") >= len(shown)


def test_the_switches_stay_beside_the_navigation(own_dev, window):
    created = requests.post(
        f"{own_dev.url}/v2/projects/demo/tenants", json={"displayName": "a-name-of-20-letters"}, headers=ADMIN_HEADERS,
        timeout=30)
    tenant = created.json()["tenantId"]
    window.set_screen(1280, False)
    for query in ("", f"?tenant={tenant}"):
        window.open(f"{own_dev.url}/console/demo/accounts{query}")
        tops, bottoms, ends = window.evaluate("""["top", "bottom", "right"].map((side) =>
            [...document.querySelectorAll("header>*")].map((part) => part.getBoundingClientRect()[side]))""")
        assert len(tops) == 3 and max(tops) < min(bottoms)
        assert max(ends) <= 1280
        window.elements("header summary")[-1].click()
        assert window.evaluate("document.querySelector('header details[open] a').getBoundingClientRect().height") >= 44


def test_a_user_is_created_with_the_keyboard_alone(own_dev, window):
    window.set_screen(1280, False)
    email = fresh_email()
    window.open(own_dev.url + "/")
    focus_by_keyboard(window, "New account")
    press(window, Keys.ENTER)
    window.wait(lambda: window.heading == "New account")
    focus_by_keyboard(window, "Email address")
    press(window, email, Keys.TAB, PASSWORD, Keys.ENTER)
    window.wait(lambda: window.heading == email)
    assert "The account was created." in window.text


def press(window, *keys):
    window.driver.switch_to.active_element.send_keys(*keys)


def focus_by_keyboard(window, name):
    """Presses the tab key until the focused element has this name, and checks that the focus is visible."""
    for _ in range(80):
        press(window, Keys.TAB)
        found, outline = window.driver.execute_script("""
            const element = document.activeElement;
            const label = element.labels?.[0] ?? element;
            return [label.textContent.trim(), getComputedStyle(element).outlineWidth]""")
        assert outline == "3px"
        if found == name:
            return
    raise AssertionError(f"the tab key does not reach {name}")


def test_the_reason_of_a_failed_sign_in_is_found(own_dev, window):
    window.open(own_dev.url + "/")
    window.click("All requests")
    Select(window.element("#search-kind")).select_by_value("errors")
    window.click("Search")
    assert "The password is wrong" in window.text


def test_a_person_is_disconnected_at_apple(own_dev, window):
    account = sign_in_with_apple(own_dev, {"id": "to.disconnect", "givenName": "Mary", "email": "mary@example.com"})
    window.open(own_dev.url + "/")
    window.click("People")
    window.click("Mary")
    window.click("Disconnect the app")
    assert "no longer uses Sign in with Apple" in window.text
    window.click("All people")
    assert "consent-revoked" in window.text
    listed = requests.post(
        f"{own_dev.url}/v1/projects/demo/accounts:lookup", json={"localId": [account["localId"]]},
        headers=ADMIN_HEADERS, timeout=30).json()["users"][0]
    [identity] = [one for one in listed["providerUserInfo"] if one["providerId"] == "apple.com"]
    assert identity["credentialState"] == "REVOKED"


def test_a_merge_is_undone(own_dev, window):
    address = fresh_email()
    account_ids = [admin(own_dev, "", {"email": email})["localId"] for email in (fresh_email(), address)]
    preview = admin(own_dev, ":merge", dict(zip(("sourceLocalId", "localId"), account_ids), dryRun=True))
    admin(own_dev, ":merge", {"mergeToken": preview["mergeToken"]})
    window.set_screen(1280, False)
    window.open(own_dev.url + "/")
    window.click("Accounts")
    window.click(address)
    next(found for found in window.elements("summary") if found.text.startswith("Merge with")).click()
    window.click("Undo a merge")
    assert "The merge was undone. Both accounts exist again." in window.text
    found = admin(own_dev, ":lookup", {"localId": account_ids})["users"]
    assert {user["localId"] for user in found} == set(account_ids)


def admin(running, operation, body):
    response = requests.post(
        f"{running.url}/v1/projects/demo/accounts{operation}", json=body, headers=ADMIN_HEADERS, timeout=30)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_disabled_account_is_found_by_its_name_and_enabled(own_dev, window):
    account_id = admin(own_dev, "", {"displayName": "Zenobia Disabled", "email": fresh_email()})["localId"]
    admin(own_dev, ":update", {"localId": account_id, "disableUser": True})
    window.set_screen(320, False)
    window.open(own_dev.url + "/console/demo/accounts")
    window.element("#search-q").send_keys("zenobia")
    window.click("Search")
    window.driver.get(window.elements("main td a")[0].get_attribute("href"))
    assert "The user cannot sign in:" in window.text and "The account is disabled. Enable it." in window.text
    window.click("Enable the account")
    assert "Nothing is known to stop a sign-in." in window.text


def test_a_queued_event_is_cancelled(own_dev, window):
    hook = {"eventEndpointId": "closed", "url": "http://127.0.0.1:9/", "kinds": ["account.created"]}
    response = requests.post(
        f"{own_dev.url}/v2/projects/demo/eventEndpoints", json=hook, headers=ADMIN_HEADERS, timeout=30)
    assert response.status_code == 200, response.text
    admin(own_dev, "", {"email": fresh_email()})
    window.set_screen(1280, False)
    window.open(own_dev.url + "/console/demo/queues")
    window.wait(lambda: window.driver.refresh() or window.elements("#queue-eventDeliveries-item"))
    Select(window.element("#queue-eventDeliveries-change")).select_by_value("cancelQueueItem")
    window.click("Apply")
    assert "The item was changed." in window.text and "No event waits to be delivered." in window.text
    window.open(own_dev.url + "/console/demo/audit?action=queueItem.cancelled")
    assert "queueItem.cancelled" in window.text


def test_new_requests_appear_until_the_list_is_paused(own_dev, window):
    window.set_screen(1280, False)
    window.open(own_dev.url + "/dev/requests")
    requests.get(f"{own_dev.url}/v1/first", timeout=30)
    window.wait(lambda: "/v1/first" in window.text)
    [pause] = window.buttons_and_links("Pause")
    pause.click()
    requests.get(f"{own_dev.url}/v1/second", timeout=30)
    window.wait(lambda: window.buttons_and_links("Resume"))
    assert window.console_messages() == []
    window.click("Refresh")
    assert "/v1/second" in window.text


def test_the_pages_work_without_scripts(own_dev):
    with browser(runs_scripts=False) as plain:
        plain.open(own_dev.url + "/dev/requests")
        assert not plain.buttons_and_links("Pause") and plain.buttons_and_links("Refresh")
        plain.open(own_dev.url + "/dev/clock")
        plain.click("Freeze now")
        assert "The clock is frozen at" in plain.text
        plain.click("Reset to the machine's clock")
        assert "The clock was reset." in plain.text


def test_an_email_is_dark_in_its_frame_and_opens_links_in_a_new_tab(own_dev, window):
    window.set_screen(1280, False)
    # An emulated colour scheme would also apply to the frame.
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    window.open(own_dev.url + "/dev/emails")
    window.driver.get(window.elements("main .rows a")[0].get_attribute("href"))
    window.click("Dark")
    assert window.style("iframe", "color-scheme") == "dark"
    window.driver.switch_to.frame(window.element("iframe"))
    assert window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    window.driver.switch_to.default_content()
    window.click("320 px")
    assert window.evaluate("document.querySelector('iframe').getBoundingClientRect().width") == 320


def test_charts_fit_a_narrow_window_and_keep_their_contrast(own_dev, window):
    for width, is_dark in [(1280, False), (320, False), (320, True)]:
        window.set_screen(width, is_dark)
        window.open(own_dev.url + "/console/demo/overview")
        charts = window.driver.execute_script("""
            return [...document.querySelectorAll('.chart svg')].map(svg => {
                const box = svg.getBoundingClientRect()
                const text = svg.querySelector('text')
                return [svg.ariaLabelledByElements?.[0]?.textContent ?? svg.querySelector('title').textContent,
                        box.left, box.right, text.getBoundingClientRect().height,
                        getComputedStyle(svg.querySelector('path, rect')).fill]
            })""")
        assert len(charts) >= 6
        for title, left, right, text_height, fill in charts:
            assert title and left >= 0 and right <= width, title
            assert text_height >= 10, title
            assert fill == ("rgb(240, 241, 243)" if is_dark else "rgb(27, 29, 33)"), title


def test_the_numbers_of_a_chart_open_with_the_keyboard(own_dev, window):
    window.set_screen(1280, False)
    window.open(own_dev.url + "/console/demo/overview")
    focus_by_keyboard(window, "Numbers")
    press(window, Keys.ENTER)
    assert window.evaluate("document.querySelector('.chart details').open") is True
    assert window.evaluate("document.querySelectorAll('.chart details[open] tbody tr').length") == 24
