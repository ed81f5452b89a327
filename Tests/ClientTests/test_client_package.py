"""Deploy/client-package makes a Git repository with which an app builds."""

import pytest

from processes import run_program
from sample_app import ROOT, build_unoptimized

APP_MANIFEST = """\
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "file://REPOSITORY", branch: "main")],
    targets: [
        .executableTarget(
            name: "App", dependencies: [.product(name: "SekishoAuth", package: "SekishoAuth")],
            swiftSettings: [.swiftLanguageMode(.v5)])
    ]
)
"""
APP = """\
import Foundation
import SekishoAuth

var options = SekishoOptions(url: URL(string: "https://auth.example.com")!, apiKey: "any")
options.store = MemoryStore()
SekishoApp.configure(options: options)
print(Auth.auth().currentUser == nil)
"""


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "SekishoAuth"
    run_program(ROOT / "Deploy/client-package", folder)
    return folder


def files(repository):
    return set(run_program("git", "-C", repository, "ls-files").split())


@pytest.mark.slow
def test_an_app_builds_with_the_repository_of_the_library(repository, tmp_path):
    app = tmp_path / "app"
    (app / "Sources/App").mkdir(parents=True)
    (app / "Package.swift").write_text(APP_MANIFEST.replace("REPOSITORY", str(repository)))
    (app / "Sources/App/main.swift").write_text(APP)
    products = build_unoptimized(app, tmp_path / "scratch")
    assert run_program(products / "App").strip() == "true"


def test_the_repository_contains_the_library_and_nothing_else(repository):
    found = files(repository)
    assert {"Package.swift", "README.md", "LICENSE", "SekishoAuth/Session/Auth.swift"} <= found
    assert all(name.startswith("SekishoAuth/") or name in {".gitignore", "LICENSE", "Package.swift", "README.md"}
               for name in found)


def test_a_second_run_commits_only_changes(repository):
    (repository / "SekishoAuth/Removed.swift").write_text("// Not part of the sources.\n")
    run_program("git", "-C", repository, "add", ".")
    run_program(
        "git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "-m", "x")
    run_program(ROOT / "Deploy/client-package", repository)
    assert "SekishoAuth/Removed.swift" not in files(repository)
    assert "nothing has changed" in run_program(ROOT / "Deploy/client-package", repository)
    assert run_program("git", "-C", repository, "status", "--porcelain") == ""


def test_a_folder_with_other_files_is_rejected(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(AssertionError, match="neither empty nor a Git repository"):
        run_program(ROOT / "Deploy/client-package", tmp_path)
