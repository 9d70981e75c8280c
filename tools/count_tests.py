"""Prints `N passed, N failed` for a finished `bazel test` run.

usage: count_tests.py TESTLOGS_FOLDER BAZEL_OUTPUT BAZEL_EXIT_STATUS [COUNTS...]

Prints each failed case with the beginning and the end of its message, and counts the cases of every
target that bazel's summary names. A target without cases (a shell test) counts as one; a
target that failed without a failed case (it crashed, timed out or did not build) as one
failure. COUNTS are files in which other runners have written such a line; one that is empty
counts nothing. Exits non-zero unless all passed and there was a test.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

SUMMARY = re.compile(
    r"^//(\S*):(\S+)\s+(?:\(cached\)\s+)?"
    r"(PASSED|FLAKY|FAILED TO BUILD|FAILED|TIMEOUT|NO STATUS)")
MESSAGE = 3000  # characters
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)


def cases_of(target_logs):
    """The cases of a target, of each of its shards; none of a report that cannot be read."""
    for report in sorted([*target_logs.glob("test.xml"), *target_logs.glob("shard_*/test.xml")]):
        try:
            yield from ElementTree.parse(report).getroot().iter("testcase")
        except (OSError, ElementTree.ParseError):
            continue


def count(cases):
    """(passed, failed)"""
    passed = failed = 0
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.get("status") != "notrun" and case.find("skipped") is None:
            passed += 1
    return passed, failed


def shortened(message):
    """The beginning and the end of a long message: the cause may be in either."""
    if len(message) <= MESSAGE:
        return message
    return f"{message[:MESSAGE // 2]}\n[...]\n{message[-MESSAGE // 2:]}"


def print_failures(target, cases):
    """Each failed case, so that the end of a long log says what failed."""
    for case in cases:
        for fault in (*case.iter("failure"), *case.iter("error")):
            message = (fault.get("message") or fault.text or "").strip()
            print(f"FAILED {target} {case.get('classname')}.{case.get('name')}: {shortened(message)}")


def counted(files):
    """(passed, failed) of other runners."""
    passed = failed = 0
    for file in files:
        for match in COUNTS.finditer(pathlib.Path(file).read_text(encoding="utf-8")):
            passed += int(match.group(1))
            failed += int(match.group(2))
    return passed, failed


def main():
    testlogs, output, status = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    total_passed, total_failed = counted(sys.argv[4:])
    with open(output, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = SUMMARY.match(line)
            if not match:
                continue
            package, target, result = match.groups()
            cases = list(cases_of(testlogs / package / target))
            passed, failed = count(cases)
            if result != "PASSED":
                print_failures(f"//{package}:{target}", cases)
                if not failed:
                    print(f"FAILED //{package}:{target}: no report of a failed case")
            if result == "PASSED":
                passed = max(passed, 1)
            elif result == "FAILED":
                failed = max(failed, 1)
            else:
                passed, failed = 0, 1
            total_passed += passed
            total_failed += failed
    if status and not total_failed:
        total_failed = 1
    print(f"{total_passed} passed, {total_failed} failed")
    sys.exit(0 if total_passed and not total_failed else 1)


if __name__ == "__main__":
    main()
