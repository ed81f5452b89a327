"""`sekisho --version` and `Deploy/release`."""

import re
import shutil
import subprocess

import requests

import gateway
from documents import ROOT


def version():
    return re.search(r'version = "(.+)"', (ROOT / "Sources/API/Operations/Release.swift").read_text())[1]


def test_the_program_states_its_version():
    completed = gateway.run_sekisho("--version")
    assert (completed.returncode, completed.stdout) == (0, f"sekisho {version()}\n")


def test_a_gateway_states_its_version_in_log_readiness_and_metrics(serve):
    assert f'"version":"{version()}"' in serve.log.read_text()
    assert f"version: {version()}" in requests.get(serve.url + "/readyz", timeout=30).text
    assert f'sekisho_build_info{{version="{version()}"}} 1' in requests.get(serve.url + "/metrics", timeout=30).text


def test_a_release_has_a_tag_a_dated_section_and_the_same_version_everywhere(tmp_path):
    checkout = tmp_path / "checkout"
    environment = gateway.clean_environment(
        GIT_AUTHOR_NAME="Test", GIT_AUTHOR_EMAIL="test@example.com", GIT_COMMITTER_NAME="Test",
        GIT_COMMITTER_EMAIL="test@example.com")

    def run(*command):
        return subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=120)

    # A copy of the files as they are now, because changes of a developer need not be committed.
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
        text=True, check=True, timeout=60).stdout
    for file in files.split("\0"):
        if file and (ROOT / file).is_file():
            (checkout / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, checkout / file)
    for command in (["git", "init", "-q"], ["git", "add", "-A"], ["git", "commit", "-qm", "start"]):
        assert run(*command).returncode == 0
    assert run("Deploy/release", "1.2").returncode == 2
    completed = run("Deploy/release", "0.1.0")
    assert completed.returncode == 0, completed.stderr
    tagged = {
        file: run("git", "show", f"v0.1.0:{file}").stdout
        for file in ("Sources/API/Operations/Release.swift", "openapi.yaml", "CHANGELOG.md")}
    assert 'version = "0.1.0"' in tagged["Sources/API/Operations/Release.swift"]
    assert "\n  version: 0.1.0\n" in tagged["openapi.yaml"]
    assert re.search(r"^## 0\.1\.0 \(\d{4}-\d\d-\d\d\)$", tagged["CHANGELOG.md"], re.MULTILINE)
    assert "## Unreleased" not in tagged["CHANGELOG.md"]
    assert 'version = "0.1.1-dev"' in (checkout / "Sources/API/Operations/Release.swift").read_text()
    assert "## Unreleased\n\n## 0.1.0" in (checkout / "CHANGELOG.md").read_text()
    assert "already exists" in run("Deploy/release", "0.1.0").stderr
