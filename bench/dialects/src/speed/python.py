"""Reads the same reply with ElementTree and with regular expressions; prints MB/s as JSON."""

import json
import re
import statistics
import sys
import time
import xml.etree.ElementTree as ElementTree

INVOKE = re.compile(r'<invoke name="([^"]*)">(.*?)</invoke>', re.S)
PARAMETER = re.compile(r'<parameter name="([^"]*)">(.*?)</parameter>', re.S)


def by_elementtree(text):
    root = ElementTree.fromstring("<reply>" + text + "</reply>")
    return [
        (call.get("name"), {value.get("name"): value.text for value in call.iter("parameter")})
        for call in root.iter("invoke")
    ]


def by_regex(text):
    return [(name, dict(PARAMETER.findall(body))) for name, body in INVOKE.findall(text)]


def by_regex_stream(text):
    """Looks at all that has arrived whenever a piece arrives."""
    arrived, calls = "", []
    for at in range(0, len(text), 16):
        arrived += text[at : at + 16]
        calls = by_regex(arrived)
    return calls


def rate(read, text, calls):
    found = read(text)
    if len(found) != calls:
        return f"it found {len(found)} calls"
    rounds = []
    for _ in range(9):
        count, start = 0, time.process_time()
        while time.process_time() - start < 0.05:
            read(text)
            count += 1
        rounds.append(len(text.encode()) * count / (time.process_time() - start) / 1e6)
    return round(statistics.median(rounds), 2)


reply = sys.stdin.read()
print(
    json.dumps(
        {
            "python_elementtree_mb_s": rate(by_elementtree, reply, 10),
            "python_regex_mb_s": rate(by_regex, reply, 10),
            "python_regex_stream16_mb_s": rate(by_regex_stream, reply, 10),
        }
    )
)
