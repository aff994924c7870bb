"""What two readers from the package index find in a JUnit and a SARIF file: counts, as one JSON object."""

import json
import sys
from collections import Counter

from fluidattacks_core.sarif import SarifLog
from junitparser import Error, Failure, JUnitXml


def junit(path):
    suites = JUnitXml.fromfile(path)
    cases = [case for suite in suites for case in suite]
    told = {"tests": suites.tests, "failures": suites.failures, "errors": suites.errors}
    found = [type(result) for case in cases for result in case.result]
    assert told == {"tests": len(cases), "failures": found.count(Failure), "errors": found.count(Error)}, told
    kinds = {f"{case.classname}/{case.name}": [result.type for result in case.result] for case in cases}
    return {**told, "kinds": kinds, "notes": sum(len((case.system_out or "").splitlines()) for case in cases)}


def sarif(path):
    with open(path, encoding="utf-8") as file:
        log = SarifLog.model_validate_json(file.read())
    [run] = log.runs
    [invocation] = run.invocations
    rules = [rule.id for rule in run.tool.driver.rules]
    places = [result.locations[0].physical_location.root for result in run.results]
    for result, place in zip(run.results, places):
        assert rules[result.rule_index] == result.rule_id, result
        assert place.region.start_line > 0 and place.region.start_column > 0, result
    return {
        "levels": Counter(result.level.value for result in run.results),
        "rules": rules,
        "successful": invocation.execution_successful,
        "notifications": len(invocation.tool_execution_notifications or []),
        "uris": sorted({place.artifact_location.uri for place in places}),
    }


if __name__ == "__main__":
    print(json.dumps({"junit": junit(sys.argv[1]), "sarif": sarif(sys.argv[2])}))
