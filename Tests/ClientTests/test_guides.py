"""The project files and commands in the guides to Apple's and Google's portals configure a project; links in all guides
lead to files."""

import subprocess

import pytest

import gateway
from documents import GUIDES, code_block, linked_files


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
        (guide_folder / name).write_text(code_block(GUIDES / guide, heading))
        commands = code_block(GUIDES / guide, heading, 1).splitlines()
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
