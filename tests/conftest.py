from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from privileges import permissions_hold
from rewarp.files import cache_folder
from rewarp.toolchain.nvcc import find_nvcc

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# A busy machine is no defect.
settings.register_profile("rewarp", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rewarp")

# Where there is no other C++ compiler, zig builds its C++ library once for all tests.
os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache_folder() / "zig"))

# What happens to be installed beside rewarp is not what is tested.
os.environ["REWARP_NO_PLUGINS"] = "1"

_MAY_BE_ABSENT = re.compile(r"torch|Chromium|playwright|GPU|nvcc|LMCache|\bray\b", re.IGNORECASE)
"""What a test may be skipped for. Everything else ./scripts/test brings: a skip for it would be a test nobody runs."""
# Packages that older Pythons cannot install: AMD's pseudocode, the validator of skills.
collect_ignore = (
    [] if sys.version_info >= (3, 11) else ["unit/test_machine_instructions.py", "unit/test_skill_format.py"]
)
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-cases", action="store_true", help="rewrite the findings of the golden cases")


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("REWARP_REQUIRE_TORCH") and importlib.util.find_spec("torch") is None:
        raise pytest.UsageError("torch is not installed, and REWARP_REQUIRE_TORCH is set")
    if os.environ.get("REWARP_REQUIRE_NVCC"):
        find_nvcc()
    if os.environ.get("REWARP_REQUIRE_RAY") and importlib.util.find_spec("ray") is None:
        raise pytest.UsageError("Ray is not installed, and REWARP_REQUIRE_RAY is set")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _skipped_for_a_reason((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _skipped_for_a_reason((yield))


def _skipped_for_a_reason(report: Report) -> Report:
    """A skip for anything that need not be absent is a failure."""
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2])
        if not _MAY_BE_ABSENT.search(reason):
            report.outcome = "failed"
            report.longrepr = (
                f"{reason}\n(only torch, Ray, LMCache, a browser and a GPU may be missing where tests run)"
            )
    return report


@pytest.fixture
def rights_count() -> Iterator[None]:
    """What a file's mode forbids is forbidden, for root too."""
    with permissions_hold():
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, or the reason why there is none."""
    if _CHROMIUM is None:
        if os.environ.get("REWARP_REQUIRE_BROWSER"):
            pytest.fail("no Chromium on this machine, and REWARP_REQUIRE_BROWSER is set")
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def open_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Opens HTML in a tab; in the end no page may have had an error, or have loaded anything from anywhere."""
    errors: list[str] = []

    def opened(html: str) -> Any:
        file: Path = tmp_path_factory.mktemp("html") / "index.html"
        file.write_text(html, encoding="utf-8")
        tab = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("request", lambda request: None if request.url.startswith("file:") else errors.append(request.url))
        tab.goto(file.as_uri())
        return tab

    yield opened
    assert errors == []


@pytest.fixture
def few_units_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A score may be had of a handful of units, and however little of a back end they stand for."""
    from rewarp.parity.scoring import scores

    monkeypatch.setattr(scores, "FEWEST", 1)
    monkeypatch.setattr(scores, "LEAST_SEEN", 0)
    monkeypatch.setattr(scores, "MOST_UNKNOWN", 1)
