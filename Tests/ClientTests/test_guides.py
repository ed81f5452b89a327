"""The pages, files and commands in Deploy/guides have the results that the guides describe."""

import json
import re
import subprocess
from pathlib import Path

import pytest

import gateway
from documents import GUIDES, ROOT, first_code_block, linked_files
from firebase_js import MODULES_FOLDER, MODULE_NAMES, requires_firebase_js
from simulators import fresh_person
from web_app import answer_consent_page, isolated_browser
from web_site import site

WEB = GUIDES / "web.md"


def with_url_of(dev, text):
    """`text` with the address of the tests' gateway in the place of 127.0.0.1:9099, where `Deploy/run` starts one."""
    assert "127.0.0.1:9099" in text
    return text.replace("127.0.0.1:9099", dev.url.removeprefix("http://"))


@pytest.fixture
def page(dev, request):
    """Serves the page in a section of the web guide. The parameter is the heading of the section."""
    text = with_url_of(dev, first_code_block(WEB, "html", request.param))
    with site({"/": ("text/html", text.encode())}) as running:
        yield running


def wait_for_output(window, part):
    window.wait(lambda: part in window.element("pre").text)


def press(window, label):
    [button] = window.buttons_and_links(label)
    button.click()


@pytest.mark.slow
@pytest.mark.parametrize("page", ["With plain REST"], indirect=True)
@pytest.mark.parametrize("label", ["Sign in with Apple", "Sign in with Google"])
def test_the_page_with_plain_rest_signs_in(page, tmp_path, label):
    person = fresh_person()
    with isolated_browser(tmp_path) as (window, _):
        window.open(page.url)
        assert window.element("pre").text == "not signed in"
        press(window, label)
        answer_consent_page(person)(window)
        wait_for_output(window, person["email"])
        assert window.driver.current_url == page.url + "/"
        press(window, label)
        answer_consent_page(button="Cancel")(window)
        wait_for_output(window, "USER_CANCELLED")


@pytest.mark.slow
@requires_firebase_js
@pytest.mark.parametrize("page", ["With Firebase's SDK"], indirect=True)
@pytest.mark.parametrize("label", ["Sign in with Apple", "Sign in with Google"])
def test_the_page_with_the_sdk_signs_in(page, tmp_path, label):
    version = re.search(r"firebasejs/([\d.]+)/", first_code_block(WEB, "html", "With Firebase's SDK"))[1]
    modules = {
        f"/firebasejs/{version}/{name}": ("text/javascript", (MODULES_FOLDER / name).read_bytes())
        for name in MODULE_NAMES}
    person, port = fresh_person(), gateway.free_port()
    with isolated_browser(tmp_path, ports={"www.gstatic.com": port}) as (window, certificate):
        with site(modules, tls=certificate.server_context(), port=port):
            window.open(page.url)
            press(window, label)
            window.wait(lambda: len(window.driver.window_handles) > 1)
            main, popup = window.driver.window_handles
            window.driver.switch_to.window(popup)
            answer_consent_page(person)(window)
            window.driver.switch_to.window(main)
            wait_for_output(window, person["email"])


def test_the_code_for_production_in_the_web_guide_is_the_code_of_the_tested_page():
    lines = first_code_block(WEB, "js", "With Firebase's SDK").splitlines()[1:]  # The first line has the settings.
    tested = (Path(__file__).parent / "web_app" / "sdk.js").read_text()
    for line in lines:
        # The guide names a host; the tested page uses its own.
        assert re.sub(r'"app\.example\.com(.*)"', r"`${location.host}\1`", line) in tested


def test_a_person_signs_in_without_a_browser(dev, tmp_path):
    script = with_url_of(dev, first_code_block(WEB, "sh", "Without a browser"))
    completed = subprocess.run(["bash", "-euc", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (completed.returncode, completed.stderr) == (0, "")
    session = json.loads(completed.stdout)
    assert (session["providerId"], session["email"]) == ("google.com", "ada@gmail.com")
    assert "idToken" in session


def test_the_web_guide_names_every_parameter_and_fault_of_the_consent_page():
    source = (ROOT / "Sources/Simulators/Consent/ConsentDecision.swift").read_text()
    faults = (ROOT / "Sources/Simulators/Consent/ConsentFault.swift").read_text()
    guide = WEB.read_text()
    assert set(re.findall(r'"(simulated_\w+)"', source)) == set(re.findall(r"simulated_\w+", guide))
    for name in re.findall(r'= "(\w+)"', faults):
        assert f"`{name}`" in guide


@pytest.fixture(scope="module")
def guide_folder(fresh_installation, tmp_path_factory, apple_key):
    """Creates the project of the guides, and a folder with the files of secrets that the guides name.

    Returns the folder.
    """
    fresh_installation.run_ok("projects create my-app")
    folder = tmp_path_factory.mktemp("guides")
    (folder / "AuthKey_FGHIJ67890.p8").write_text(apple_key)
    (folder / "google-client-secret.txt").write_text("secret\n")
    return folder


def test_the_project_files_in_the_guides_configure_apple_and_then_google(fresh_installation, guide_folder):
    for guide, name, heading in (
            ("apple-portal.md", "apple.json", "5. The gateway"),
            ("google-console.md", "google.json", "3. The gateway")):
        (guide_folder / name).write_text(first_code_block(GUIDES / guide, "json", heading))
        commands = first_code_block(GUIDES / guide, "sh", heading).splitlines()
        assert commands == [
            f"sekisho projects apply {name} --dry-run", f"sekisho projects apply {name}", "sekisho check"]
        for command in commands:
            completed = subprocess.run(
                [gateway.binary(), *command.split()[1:]], cwd=guide_folder, capture_output=True, text=True,
                timeout=60, env=gateway.clean_environment(**fresh_installation.environment))
            assert completed.returncode == 0, completed.stderr
            assert "warning" not in completed.stderr
        checked = completed.stdout.splitlines()
        assert [line for line in checked if "project my-app, app" in line] == [
            f"ok    project my-app, app {app}: complies with guideline 4.8" for app in ("default", "ios", "web")]
        assert any(line.startswith("note  apple: register ") for line in checked)


@pytest.mark.parametrize("guide", sorted(path.name for path in GUIDES.glob("*.md")))
def test_links_in_the_guides_lead_to_existing_files(guide):
    for file in linked_files(GUIDES / guide):
        assert file.exists(), file
