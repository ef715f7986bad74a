#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is kept of a run of the GPU suite: the artifacts' hashes and, for each artifact and criterion, the worst case.

    summarize_suite.py RESULTS.json COMMAND > gpu-suite.json

The whole file is twenty times as large; COMMAND says how to make it again. Skipped and failed cases are all kept.
"""
import json
import sys


def share(value):
    """How much of its limit a criterion uses; what must be 0 counts as itself."""
    return value["measured"] / value["limit"] if value["limit"] else value["measured"]


def main():
    results = json.load(open(sys.argv[1], encoding="utf-8"))
    worst = {}
    for result in results["results"]:
        for criterion, value in result.get("criteria", {}).items():
            key = (result["artifact"], criterion)
            if key not in worst or share(value) > share(worst[key]):
                worst[key] = {"artifact": key[0], "criterion": criterion, "case": result["case"], **value}
    kept = {
        "about": results["about"],
        "commit": results["commit"],
        "command": sys.argv[2],
        "summary": results["summary"],
        "artifacts": results["artifacts"],
        "not passed": [result for result in results["results"] if result["verdict"] != "pass"],
        "worst": [worst[key] for key in sorted(worst)],
    }
    print(json.dumps(kept, separators=(",", ":")).replace('},{"artifact"', '},\n{"artifact"'))


if __name__ == "__main__":
    main()
