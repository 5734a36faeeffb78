"""Every file compiles and lints without a word, by all rules there are."""

import json
import re
from pathlib import Path

import pytest

from tests.infra.compiler import FILES, INFRA, Document, bicep
from tests.infra.reading import resources, words
from tests.infra.sets import BASE

OFF = "what-if-short-circuiting"
# An unknown name in the configuration is passed over without a word.
RULES = {
    "adminusername-should-not-be-literal",
    "artifacts-parameters",
    "decompiler-cleanup",
    "explicit-values-for-loc-params",
    "max-asserts",
    "max-outputs",
    "max-params",
    "max-resources",
    "max-variables",
    "nested-deployment-template-scoping",
    "no-conflicting-metadata",
    "no-conflicting-version-constraints",
    "no-deployments-resources",
    "no-explicit-any",
    "no-hardcoded-env-urls",
    "no-hardcoded-location",
    "no-hardcoded-outputs",
    "no-incompatible-entrypoint-version",
    "no-loc-expr-outside-params",
    "no-module-name",
    "no-unnecessary-dependson",
    "no-unused-existing-resources",
    "no-unused-imports",
    "no-unused-params",
    "no-unused-types",
    "no-unused-vars",
    "outputs-should-not-contain-secrets",
    "prefer-interpolation",
    "prefer-unquoted-property-names",
    "protect-commandtoexecute-secrets",
    "secure-parameter-default",
    "secure-params-in-nested-deploy",
    "secure-params-in-parameters-file",
    "secure-secrets-in-params",
    "simplify-interpolation",
    "simplify-json-null",
    "stacks-extensibility-compat",
    "use-description-outputs",
    "use-description-params",
    "use-description-type-properties",
    "use-description-types",
    "use-description-vars",
    "use-parent-property",
    "use-recent-api-versions",
    "use-recent-az-powershell-version",
    "use-recent-module-versions",
    "use-recognized-resource-type",
    "use-resource-id-functions",
    "use-resource-symbol-reference",
    "use-safe-access",
    "use-secure-value-for-secure-inputs",
    "use-stable-resource-identifiers",
    "use-stable-vm-image",
    "use-user-defined-types",
    "what-if-short-circuiting",
}


@pytest.mark.parametrize("path", FILES, ids=str)
def test_it_says_nothing(path: Path) -> None:
    """Some warnings are no rules, and no exit code tells of them."""
    build = "build-params" if path.suffix == ".bicepparam" else "build"
    done = bicep(build, str(path), "--stdout", environ=BASE)
    assert (done.returncode, done.stderr) == (0, "")
    done = bicep("lint", str(path), environ=BASE)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_it_is_formatted(tmp_path: Path) -> None:
    """As the compiler itself does it."""
    for path in FILES:
        place = tmp_path / path
        done = bicep("format", str(path), "--outfile", str(place.with_suffix(".new")))
        assert done.returncode == 0, done.stderr
        assert place.with_suffix(".new").read_text() == (INFRA / path).read_text(), path


def test_every_rule_is_an_error() -> None:
    """All 55 are named: some are off by default, and a new one shows itself here."""
    lines = (INFRA / "bicepconfig.json").read_text().splitlines()
    plain = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    rules = json.loads(plain)["analyzers"]["core"]["rules"]
    assert set(rules) == RULES
    assert len(RULES) == 55
    levels = {name: rule["level"] for name, rule in rules.items()}
    assert levels == dict.fromkeys(RULES, "error") | {OFF: "off"}
    assert rules["use-recent-api-versions"]["test-today"] == "2026-11-30"


def test_without_what_must_be_given_it_names_it() -> None:
    """A deployment that nobody would be told of, or without dates, does not begin."""
    done = bicep("build-params", "main.bicepparam", "--stdout")
    assert done.returncode == 1
    for name in BASE:
        assert f'Environment variable "{name}" does not exist' in done.stderr


def test_the_same_files_make_the_same_deployment() -> None:
    """Nothing depends on the day, nor on chance."""
    for path in FILES:
        assert not re.search(r"\b(newGuid|utcNow)\b", (INFRA / path).read_text()), path


def test_no_deployment_takes_something_away(template: Document) -> None:
    """G20: what a template leaves out stays; no stack, and no complete mode."""
    assert "Complete" not in set(words(template))


def test_only_the_machine_is_left_alone_once_it_is_there(template: Document) -> None:
    """G19: its roles, its shutdown and its metrics are made by a second run too."""
    found = [
        each["type"]
        for _, each in resources(template)
        if "onlyIfNotExists" in each.get("@options", {})
    ]
    assert found == ["Microsoft.Compute/virtualMachines"]
