"""The files for systemd and containers."""

import configparser
import re
import subprocess

import pytest
import yaml

from contract import CONTRACT_FILE
from documents import GUIDES, code_block
from pgbouncer import SETTINGS

DEPLOY = CONTRACT_FILE.parent / "Deploy"


@pytest.fixture(scope="module")
def unit():
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(DEPLOY / "sekisho.service")
    return parser


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def test_core_dumps_are_disabled(unit, services):
    assert unit["Service"]["LimitCORE"] == "0"
    for name in ("migrate", "gateway"):
        assert services[name]["ulimits"] == {"core": 0}, name


def test_a_gateway_that_stops_is_not_killed_before_it_has_drained(unit, services):
    example = (DEPLOY / "sekisho.env.example").read_text()
    drain = sum(int(seconds) for seconds in re.findall(r"^#SEKISHO_DRAIN\w*_SECONDS=(\d+)$", example, re.MULTILINE))
    assert drain == 15
    assert int(unit["Service"]["TimeoutStopSec"]) > drain
    assert int(services["gateway"]["stop_grace_period"].removesuffix("s")) > drain


def test_a_gateway_is_restarted_for_ever_but_not_after_a_mistake_in_the_settings(unit, services):
    service = unit["Service"]
    assert (service["Restart"], service["RestartPreventExitStatus"]) == ("on-failure", "2")
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert services["gateway"]["restart"] == services["postgres"]["restart"] == "unless-stopped"


def test_a_restart_does_not_migrate_the_database(unit):
    assert "migrate" not in " ".join(unit["Service"].values())


def test_a_shell_reads_the_hosts_of_a_cluster_as_systemd_does():
    line = code_block(GUIDES / "high-availability.md", "A cluster of PostgreSQL")
    name, _, value = line.rstrip("\n").partition("=")
    script = f'set -eu; set -a; {line} set +a; printf %s "${name}"'
    shown = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    # systemd removes the quotes around a value.
    assert shown == value.strip("'")
    assert "&connect_timeout=" in shown


def test_the_settings_for_a_pooler_are_those_of_the_tests():
    block = code_block(GUIDES / "high-availability.md", "A connection pooler")
    variables = dict(line.split("=", 1) for line in block.splitlines())
    assert SETTINGS == {name: value for name, value in variables.items() if name != "DATABASE_URL"}
    port = re.search(r"listen_port = (\d+)", (DEPLOY / "ha/pgbouncer.ini").read_text())[1]
    assert variables["DATABASE_URL"].endswith(f"@127.0.0.1:{port}/sekisho")


def test_the_service_can_read_the_certificate_of_the_cluster():
    line = code_block(GUIDES / "high-availability.md", "A cluster of PostgreSQL")
    certificate = re.search(r"sslrootcert=([^&']+)", line)[1]
    # Only root can read /etc/sekisho, and the service has a user of its own.
    assert not certificate.startswith("/etc/sekisho/")
