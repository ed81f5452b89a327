"""Accounts that a browser remembers, and "Continue as" in another app: in Chromium by mouse, and by keyboard alone."""

import pytest
import requests
from selenium.webdriver.common.keys import Keys

import gateway
from accessibility import violations
from browser import browser
from client import PASSWORD, fresh_email
from installation import new_database
from test_sign_in_page import App
from web_app import answer_consent_page

pytestmark = pytest.mark.slow
DAY = 86_400
REMEMBERED = "Accounts on this device"
# The button that leads to the list, in other languages.
LIST = {"ar": "الحسابات على هذا الجهاز"}


@pytest.fixture(scope="module")
def app(dev, folder):
    path = folder / "remembered-accounts"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        owner = {"Authorization": "Bearer owner"}
        requests.post(
            f"{running.url}/v2/projects/demo/apps", json={"appId": "second"}, headers=owner, timeout=30
        ).raise_for_status()
        # The first account of a project creates it.
        requests.post(
            f"{running.url}/v1/projects/other/accounts", json={}, headers=owner, timeout=30).raise_for_status()
        yield App(running)


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def window(request):
    with browser(runs_scripts=request.param) as opened:
        yield opened


@pytest.fixture
def scripted_window():
    with browser() as opened:
        yield opened


def new_account(app):
    email = fresh_email()
    body = {"email": email, "password": PASSWORD}
    requests.post(f"{app.running.url}/v1/accounts:signUp?key=any", json=body, timeout=30).raise_for_status()
    return email


def returns_to(app, window):
    window.wait(lambda: window.driver.current_url.startswith(app.target))


def sign_in(app, window, email, *, boxes=(), **change):
    window.open(app.url(prompt="login", **change))
    address = window.element("#address")
    address.clear()
    address.send_keys(email)
    for box in boxes:
        if not window.element(f"#{box}").is_selected():
            window.element(f"#{box}").click()
    window.element("#password").send_keys(PASSWORD, Keys.ENTER)
    returns_to(app, window)


def open_list(app, window, **change):
    """Opens the list of remembered accounts by mouse, over the first screen."""
    window.open(app.url(prompt="login", **change))
    window.click(LIST.get(change.get("hl"), REMEMBERED))
    return window


def tab_to(window, condition):
    """Presses the Tab key until `condition` holds for the focused element, and returns the element."""
    for _ in range(60):
        focused = window.driver.switch_to.active_element
        if condition(focused):
            return focused
        focused.send_keys(Keys.TAB)
    raise AssertionError(f"the keyboard does not reach the element in {window.text}")


def labelled(text):
    return lambda element: element.text == text


def test_only_an_account_whose_user_wants_it_is_remembered_and_no_other_project_shows_it(app, window):
    email = new_account(app)
    sign_in(app, window, email)
    assert REMEMBERED not in window.open(app.url(prompt="login")).text
    sign_in(app, window, email, boxes=["remember"])
    window.open(app.url(prompt="login"))
    assert window.element("#address").get_attribute("value") == email
    assert f"Sign in as {email}" in open_list(app, window).text
    window.open(app.url(prompt="login").replace("/demo/", "/other/"))
    assert window.heading == "Sign in"
    assert REMEMBERED not in window.text and email not in window.text


def test_five_accounts_are_remembered_for_180_days_and_the_page_stays_small(app, scripted_window):
    window = scripted_window
    emails = [new_account(app) for _ in range(6)]
    for email in emails:
        sign_in(app, window, email, boxes=["remember"])
    for language in ["en", "ar"]:
        window.open(app.url(prompt="login", hl=language))
        assert len(window.driver.page_source.encode()) <= 15_000
        open_list(app, window, hl=language)
        assert [email in window.text for email in emails] == [False] + [True] * 5
        assert violations(window) == []
        assert len(window.driver.page_source.encode()) <= 15_000
    window.driver.delete_cookie("sekisho-language")
    gateway.change_clock(app.running, advanceSeconds=180 * DAY - 3600)
    try:
        assert REMEMBERED in window.open(app.url(prompt="login", hl="en")).text
        gateway.change_clock(app.running, advanceSeconds=3600)
        assert REMEMBERED not in window.open(app.url(prompt="login", hl="en")).text
    finally:
        gateway.change_clock(app.running, reset=True)


def test_a_remembered_account_is_chosen_and_removed_by_mouse(app, window):
    first, second = new_account(app), new_account(app)
    for email in [first, second]:
        sign_in(app, window, email, boxes=["remember"])
    open_list(app, window)
    window.click(f"Sign in as {first}")
    assert window.element("#address").get_attribute("value") == first
    window.click(REMEMBERED)
    window.click(f"Remove {first} from this device")
    assert f"Sign in as {second}" in window.text and first not in window.text
    window.click(f"Remove {second} from this device")
    assert window.heading == "Sign in" and REMEMBERED not in window.text


def test_a_remembered_account_is_chosen_and_removed_by_keyboard_alone(app, scripted_window):
    window = scripted_window
    first, second = new_account(app), new_account(app)
    for email in [first, second]:
        window.open(app.url(prompt="login"))
        address = tab_to(window, lambda element: element.get_attribute("id") == "address")
        address.send_keys(Keys.CONTROL, "a")
        address.send_keys(email)
        box = tab_to(window, lambda element: element.get_attribute("id") == "remember")
        if not box.is_selected():
            box.send_keys(Keys.SPACE)
        tab_to(window, lambda element: element.get_attribute("id") == "password" or element.tag_name == "html")
        window.element("#password").send_keys(PASSWORD, Keys.ENTER)
        returns_to(app, window)
    window.open(app.url(prompt="login"))
    tab_to(window, labelled(REMEMBERED)).send_keys(Keys.ENTER)
    window.wait(lambda: window.heading == REMEMBERED)
    tab_to(window, labelled(f"Sign in as {first}")).send_keys(Keys.ENTER)
    window.wait(lambda: window.elements("#address") and window.element("#address").get_attribute("value") == first)
    tab_to(window, labelled(REMEMBERED)).send_keys(Keys.ENTER)
    window.wait(lambda: window.heading == REMEMBERED)
    tab_to(window, labelled(f"Remove {first} from this device")).send_keys(Keys.ENTER)
    window.wait(lambda: first not in window.text and f"Sign in as {second}" in window.text)


@pytest.mark.parametrize("provider", ["Apple", "Google"])
def test_the_account_of_a_provider_is_remembered_if_the_user_chooses_so_before(app, scripted_window, provider):
    window = scripted_window.open(app.url())
    window.click("Remember my account when I use one of these services")
    assert "Your account will be remembered on this device." in window.text
    assert window.element("#remember").is_selected()
    [link] = window.buttons_and_links(f"Sign in with {provider}")
    link.click()
    answer_consent_page()(window)
    returns_to(app, window)
    window.open(app.url(prompt="login"))
    [note] = window.elements(".providers .note")
    assert f"Remove {note.text} from this device" in open_list(app, window).text


def test_the_choice_to_remember_works_without_scripts_and_can_be_taken_back(app, window):
    window.open(app.url())
    window.click("Remember my account when I use one of these services")
    window.click("Do not remember my account")
    assert "Your account will be remembered" not in window.text
    assert not window.element("#remember").is_selected()


@pytest.mark.parametrize("stays", [True, False], ids=["stays signed in", "visits"])
def test_a_second_app_continues_with_the_session_of_the_browser_by_mouse(app, window, stays):
    email = new_account(app)
    sign_in(app, window, email, boxes=["stay"] if stays else [])
    [cookie] = [cookie for cookie in window.driver.get_cookies() if cookie["name"] == "sekisho-browser-demo"]
    assert ("expiry" in cookie) == stays
    window.open(app.url(app="second"))
    window.click(f"Continue as {email}")
    returns_to(app, window)
    assert "code=" in window.driver.current_url
    gateway.change_clock(app.running, advanceSeconds=2 * 3600)
    try:
        window.open(app.url(app="second"))
        assert bool(window.buttons_and_links(f"Continue as {email}")) == stays
        gateway.change_clock(app.running, advanceSeconds=7 * DAY)
        window.open(app.url(app="second"))
        assert window.buttons_and_links(f"Continue as {email}") == []
    finally:
        gateway.change_clock(app.running, reset=True)


def test_a_second_app_continues_or_asks_for_another_account_by_keyboard_alone(app, scripted_window):
    window = scripted_window
    email = new_account(app)
    sign_in(app, window, email, boxes=["stay"])
    window.open(app.url(app="second"))
    assert violations(window) == []
    tab_to(window, labelled(f"Continue as {email}")).send_keys(Keys.ENTER)
    returns_to(app, window)
    window.open(app.url(app="second"))
    tab_to(window, labelled("Use another account")).send_keys(Keys.ENTER)
    window.wait(lambda: window.elements("#password"))
    assert window.buttons_and_links(f"Continue as {email}") == []
