"""`sekisho dev` cannot be used by web sites that the developer visits, through DNS rebinding or across origins."""

import secrets

import pytest
import requests

import gateway
from client import ADMIN_HEADERS
from installation import new_database
from web_app import isolated_browser
from web_site import site

OWN_PAGE, FOREIGN_PAGE = "http://localhost:3000", "https://evil.example"
EMULATOR_PATHS = [
    ("DELETE", "/emulator/v1/projects/demo/accounts"), ("GET", "/emulator/v1/projects/demo/oobCodes"),
    ("GET", "/dev/emails"), ("POST", "/emulator/v1/clock"), ("OPTIONS", "/emulator/v1/clock"),
]


def send(url, method, path, **headers):
    return requests.request(method, url + path, headers=headers, data=b"{}" if method == "POST" else None, timeout=30)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:9099", "127.0.0.1.evil.example"])
@pytest.mark.parametrize("method, path", [*EMULATOR_PATHS, ("GET", "/"), ("GET", "/nothing"), ("OPTIONS", "/")])
def test_another_host_name_gets_421(dev, host, method, path):
    response = send(dev.url, method, path, Host=host, Origin=f"http://{host}", **ADMIN_HEADERS)
    assert response.status_code == 421
    assert not any(name.lower().startswith("access-control-") for name in response.headers)


def test_the_simulated_providers_check_the_host_too(dev):
    state = requests.get(dev.url + "/emulator/v1/projects/demo/simulators", timeout=30).json()
    for url in {state["apple"]["url"], state["google"]["url"]}:
        assert send(url, "GET", "/", Host="evil.example").status_code == 421
        assert send(url, "GET", "/").status_code != 421


@pytest.mark.parametrize("method, path", EMULATOR_PATHS)
def test_a_page_of_another_site_gets_403_below_emulator(fresh_dev, method, path):
    response = send(fresh_dev.url, method, path, Origin=FOREIGN_PAGE)
    assert response.status_code == 403
    assert "Access-Control-Allow-Origin" not in response.headers
    assert send(fresh_dev.url, method, path, Origin=OWN_PAGE).status_code in (200, 204, 400)


def test_a_page_of_another_site_gets_403_with_the_owner_token_but_may_use_an_api_key(dev):
    admin = "/v1/projects/demo/accounts:query"
    assert send(dev.url, "POST", admin, Origin=FOREIGN_PAGE, **ADMIN_HEADERS).status_code == 403
    assert send(dev.url, "POST", admin, Origin=OWN_PAGE, **ADMIN_HEADERS).status_code == 200
    assert send(dev.url, "POST", admin, **ADMIN_HEADERS).status_code == 200
    signed_up = send(dev.url, "POST", "/v1/accounts:signUp?key=any", Origin=FOREIGN_PAGE)
    assert (signed_up.status_code, signed_up.headers["Access-Control-Allow-Origin"]) == (200, FOREIGN_PAGE)


@pytest.mark.parametrize("headers, status", [({"Origin": FOREIGN_PAGE}, 403), ({"Host": "evil.example"}, 421)])
def test_a_large_body_of_another_site_creates_no_project(fresh_dev, headers, status):
    response = requests.post(
        fresh_dev.url + "/v1/projects/foreign/accounts:batchCreate", data=b" " * 70_000,
        headers={"Content-Type": "application/json", **ADMIN_HEADERS, **headers}, timeout=30)
    assert response.status_code == status
    page = requests.get(fresh_dev.url + "/?project=foreign", headers={"Accept": "text/html"}, timeout=30)
    assert page.status_code == 404


def test_a_browser_keeps_a_site_from_the_gateway_even_after_dns_rebinding(dev, tmp_path):
    script = """
        const [url, finish] = arguments;
        fetch(url).then(async response => finish(response.status + " " + await response.text()), () => finish("blocked"));
        """
    codes = "/emulator/v1/projects/demo/oobCodes"
    with site() as page:
        names = {"elsewhere.example": page.port, "rebound.example": int(dev.url.rsplit(":", 1)[1])}
        with isolated_browser(tmp_path, ports=names) as (window, _):
            def fetched(page_url, url):
                window.open(page_url)
                return window.driver.execute_async_script(script, url)

            assert fetched("http://elsewhere.example/", dev.url + codes) == "blocked"
            assert fetched("http://rebound.example/", codes).startswith("421 ")
            assert "oobCodes" in fetched(f"http://localhost:{page.port}/", dev.url + codes)


def test_further_names_can_be_allowed(dev, dev_folder):
    options = ["--allow-host", "dev.example.com", "--allow-host", "box.example"]
    with gateway.dev(dev_folder, "--database-url", new_database(dev.database_url), *options) as running:
        for host in ["dev.example.com", "box.example:9099"]:
            assert send(running.url, "GET", "/", Host=host).status_code == 200
            response = send(running.url, "GET", "/dev/emails", Origin=f"https://{host}")
            assert response.status_code == 200
        assert send(running.url, "GET", "/", Host="evil.example").status_code == 421


def test_an_invalid_name_is_rejected(dev_folder):
    completed = gateway.run_sekisho("dev", "--data", str(dev_folder), "--allow-host", f"{secrets.token_hex(4)}:9099")
    assert completed.returncode == 2
    assert "--allow-host: expected host names without port" in completed.stderr
