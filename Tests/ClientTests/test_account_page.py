"""The account page: its forms over HTTP, and its pages in Chromium by mouse and keyboard, wide and narrow."""

import html5lib
import pytest
import requests
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

import gateway
from account_pages import COOKIE, ROOT, AccountPages, new_session, session_cookie
from accessibility import violations
from browser import browser
from client import PASSWORD
from installation import new_database

pytestmark = pytest.mark.slow
NEW_PASSWORD = "staple battery horse"
PARTS = [
    "", "methods", "email", "password", "profile", "preferences", "phone", "devices", "activity", "secure", "data",
    "delete"]


@pytest.fixture(scope="module")
def database_url(dev):
    return new_database(dev.database_url)


@pytest.fixture(scope="module")
def own_dev(dev, folder, database_url):
    path = folder / "account-page"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", database_url) as running:
        yield running


@pytest.fixture
def ada(own_dev):
    return new_session(own_dev)


@pytest.fixture
def pages(own_dev, database_url, ada):
    return AccountPages(own_dev, session_cookie(database_url, ada))


@pytest.fixture(scope="module", params=[True, False], ids=["with scripts", "without scripts"])
def window(request):
    with browser(runs_scripts=request.param, records_requests=True) as opened:
        yield opened


@pytest.fixture
def signed_in(own_dev, database_url, window, ada):
    """The browser with a session of Ada, on the overview."""
    # The public page, so that the driver can set a cookie of its origin.
    window.open(own_dev.url + ROOT + "/delete")
    # An earlier test may have chosen a language.
    window.driver.delete_all_cookies()
    window.driver.add_cookie({"name": COOKIE, "value": session_cookie(database_url, ada), "path": "/"})
    return window.open(own_dev.url + ROOT)


def can_sign_in(running, session, password):
    body = {"email": session["email"], "password": password}
    url = f"{running.url}/v1/accounts:signInWithPassword?key=any"
    return requests.post(url, json=body, timeout=30).status_code == 200


def test_every_part_is_valid_html_and_small(pages):
    for part in PARTS:
        page = pages.open(part)
        assert page.status_code == 200, part
        html5lib.HTMLParser(strict=True).parse(page.text)
        assert len(page.content) <= 15_000, part


def test_without_a_session_every_part_leads_to_the_sign_in_page_except_the_one_about_deletion(own_dev):
    stranger = AccountPages(own_dev)
    for part in PARTS[1:-1]:
        response = stranger.open(part)
        assert (response.status_code, response.headers["Location"]) == (
            303, f"../signIn?account=1&continue=next%3D{part}")
    assert stranger.open("delete").status_code == 200


def test_forms_change_the_account(own_dev, pages, ada):
    assert "Your name was saved." in pages.submit("profile", displayName="Countess").text
    assert "Countess" in pages.open().text
    assert pages.submit("preferences", accountLanguage="", timeZone="Europe/Atlantis").status_code == 400
    assert "Your language and time zone were saved." in pages.submit(
        "preferences", accountLanguage="", timeZone="Europe/Berlin").text
    assert "We sent a link" in pages.submit("email", email=f"new.{ada['email']}").text
    rejected = pages.submit("email", email="nonsense")
    assert rejected.status_code == 400 and 'value="nonsense"' in rejected.text
    assert can_sign_in(own_dev, ada, PASSWORD)
    assert "All other devices were signed out." in pages.submit("devices", step="endOthers").text
    assert pages.submit("password", newPassword="1").status_code == 400
    assert "Your password was saved." in pages.submit("password", newPassword=NEW_PASSWORD).text
    assert can_sign_in(own_dev, ada, NEW_PASSWORD) and not can_sign_in(own_dev, ada, PASSWORD)
    file = pages.submit("data")
    assert file.headers["Content-Disposition"].startswith("attachment")
    assert file.json()["user"]["localId"] == ada["localId"]
    deleted = pages.submit("delete", confirmed="true")
    assert "Your account is deleted" in deleted.text
    assert not can_sign_in(own_dev, ada, NEW_PASSWORD)


def test_a_form_of_another_site_changes_nothing(own_dev, pages, ada):
    page = pages.open("delete")
    response = pages.session.post(
        f"{own_dev.url}{ROOT}/delete", data={"confirmed": "true", "formToken": "x"}, timeout=30,
        headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
    assert page.status_code == 200 and response.status_code == 400
    assert can_sign_in(own_dev, ada, PASSWORD)


# axe-core needs the page to run scripts.
@pytest.mark.parametrize("window", [True], ids=["with scripts"], indirect=True)
@pytest.mark.parametrize("width, is_dark", [(1280, False), (320, True)])
def test_the_pages_are_accessible_and_fit_the_window(own_dev, signed_in, width, is_dark):
    signed_in.set_screen(width, is_dark)
    signed_in.requests()
    signed_in.console_messages()
    for part in PARTS + ["remove?method=password"]:
        signed_in.open(f"{own_dev.url}{ROOT}/{part}" if part else own_dev.url + ROOT)
        assert violations(signed_in) == [], part
        assert signed_in.evaluate("document.documentElement.scrollWidth") <= width, part
        assert all(height >= 44 for height in signed_in.heights("button, a.button")), part
    assert all(url.startswith(own_dev.url) for url in signed_in.requested_urls() if not url.startswith("data:"))
    assert [message for message in signed_in.console_messages() if "favicon" not in message] == []


@pytest.mark.parametrize("window", [True], ids=["with scripts"], indirect=True)
def test_the_pages_are_accessible_from_right_to_left_and_with_forced_colors(own_dev, signed_in):
    signed_in.set_screen(320, False)
    signed_in.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    for part in PARTS:
        signed_in.open(f"{own_dev.url}{ROOT}{'/' + part if part else ''}?lang=ar")
        assert signed_in.element("html").get_attribute("dir") == "rtl"
        assert violations(signed_in) == [], part
        assert signed_in.evaluate("document.documentElement.scrollWidth") <= 320, part


def test_a_user_switches_the_language_of_the_pages(own_dev, signed_in):
    def language():
        return signed_in.element("html").get_attribute("lang")

    signed_in.set_screen(320, False)
    signed_in.open(own_dev.url + ROOT + "/remove?method=password")
    Select(signed_in.element("#hl")).select_by_value("ja")
    signed_in.element("footer button").click()
    signed_in.wait(lambda: language() == "ja")
    assert "method=password" in signed_in.driver.current_url
    signed_in.open(own_dev.url + ROOT)
    assert language() == "ja"


def test_a_user_chooses_language_and_time_zone(own_dev, signed_in):
    signed_in.set_screen(1280, False)
    signed_in.click("Language and time zone")
    Select(signed_in.element("#language")).select_by_value("de")
    signed_in.element("#timeZone").send_keys("Europe/Berlin")
    signed_in.click("Save")
    assert signed_in.element("[role=status]").text == "Ihre Sprache und Zeitzone wurden gespeichert."
    assert signed_in.element("html").get_attribute("lang") == "de"


def test_a_user_saves_a_name_and_deletes_the_account_by_mouse(own_dev, signed_in, ada):
    signed_in.set_screen(1280, False)
    signed_in.click("Name")
    signed_in.element("#name").send_keys("Countess")
    signed_in.click("Save")
    assert signed_in.element("[role=status]").text == "Your name was saved."
    signed_in.click("Delete account")
    signed_in.element("#confirmed").click()
    signed_in.click("Delete the account")
    assert signed_in.heading == "Your account is deleted"
    signed_in.driver.back()
    signed_in.open(own_dev.url + ROOT + "/delete")
    assert not signed_in.elements("main form")


def test_a_user_changes_the_password_by_keyboard(own_dev, signed_in, ada):
    signed_in.set_screen(320, False)
    signed_in.open(own_dev.url + ROOT + "/password")
    for _ in range(20):
        signed_in.driver.switch_to.active_element.send_keys(Keys.TAB)
        if signed_in.evaluate("document.activeElement.id") == "password":
            break
    signed_in.driver.switch_to.active_element.send_keys(NEW_PASSWORD + Keys.ENTER)
    signed_in.wait(lambda: signed_in.elements("[role=status]"))
    assert "Your password was saved." in signed_in.text
    assert can_sign_in(own_dev, ada, NEW_PASSWORD)


def test_a_rejected_form_comes_back_with_its_summary_first(own_dev, signed_in):
    signed_in.open(own_dev.url + ROOT + "/password")
    signed_in.driver.execute_script("document.querySelector('#password').removeAttribute('minlength')")
    signed_in.element("#password").send_keys("1")
    signed_in.click("Save the password")
    assert signed_in.element("[role=alert]").text.startswith("This password cannot be used.")
    assert signed_in.evaluate("document.activeElement.id") == "password"


def test_a_narrow_window_does_not_cut_a_long_german_heading(own_dev, signed_in):
    signed_in.set_screen(320, False)
    signed_in.open(own_dev.url + ROOT + "/methods?lang=de")
    assert signed_in.heading == "Anmeldemethoden"
    [height] = signed_in.heights("h1")
    assert height < 40
