"""The gateway serves the contract (openapi.yaml), and a reference page that is generated from it."""

import pytest
import requests
import yaml

from browser import browser
from contract import CONTRACT_FILE


@pytest.fixture(params=["dev", "serve"])
def url(request):
    return request.getfixturevalue(request.param).url


def test_the_contract_is_served_as_yaml_and_json(url):
    served = requests.get(url + "/openapi.yaml", timeout=30)
    assert served.headers["Content-Type"] == "application/yaml; charset=utf-8"
    assert served.text == CONTRACT_FILE.read_text()
    assert requests.get(url + "/openapi.json", timeout=30).json() == yaml.safe_load(served.text)


def test_other_origins_can_read_the_contract_but_not_the_reference(url):
    origin = {"Origin": "https://editor.example.com"}
    assert "Access-Control-Allow-Origin" in requests.get(url + "/openapi.json", headers=origin, timeout=30).headers
    assert "Access-Control-Allow-Origin" not in requests.get(url + "/docs", headers=origin, timeout=30).headers


def test_the_reference_has_every_operation_and_schema_and_no_script(url, contract):
    served = requests.get(url + "/docs", timeout=30)
    page = served.content.decode()
    assert "<script" not in page and "src=" not in page
    for name in contract.operations:
        assert (f'id="{name}"' in page) or (name.endswith("InTenant") and f"<code>{name}</code>" in page), name
    for name in contract.document["components"]["schemas"]:
        assert f'id="schema-{name}"' in page, name


@pytest.mark.slow
@pytest.mark.parametrize("is_dark", [False, True])
def test_the_reference_has_its_style_in_a_browser_without_scripts(dev, is_dark):
    with browser(runs_scripts=False) as chromium:
        chromium.set_screen(1280, is_dark)
        chromium.open(dev.url + "/docs")
        assert chromium.style("nav", "position") == "sticky"
        assert chromium.style("body", "background-color") == ("rgba(13, 17, 23, 1)" if is_dark else "rgba(0, 0, 0, 0)")
        assert [message for message in chromium.console_messages() if "Content Security Policy" in message] == []
