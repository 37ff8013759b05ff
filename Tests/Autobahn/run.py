"""Runs the cases of autobahntestsuite against an echo endpoint and judges the results."""

import argparse
import asyncio
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

import cases
from protocol import WebSocketProtocol

GOOD = {"OK", "NON-STRICT", "INFORMATIONAL"}


async def runCase(case, host, port, path):
    loop = asyncio.get_running_loop()
    try:
        _, protocol = await loop.create_connection(lambda: WebSocketProtocol(case, path, f"{host}:{port}"), host, port)
    except OSError as error:
        return {"behavior": "FAILED", "behaviorClose": "FAILED", "result": str(error)}
    try:
        await asyncio.wait_for(protocol.finished, 1100)
    except asyncio.TimeoutError:
        protocol.transport.abort()
        return {"behavior": "FAILED", "behaviorClose": "FAILED", "result": "no end within 1100 s"}
    ran = protocol.runCase
    return {
        "behavior": ran.behavior, "behaviorClose": ran.behaviorClose, "result": ran.result,
        "resultClose": ran.resultClose, "remoteCloseCode": protocol.remoteCloseCode,
    }


async def runAll(found, host, port, path):
    """Cases that measure time run alone. The others mostly wait, so eight run at a time."""
    results = {}
    slots = asyncio.Semaphore(8)

    async def run(case):
        async with slots:
            results[cases.identifier(case)] = await runCase(case, host, port, path)

    await asyncio.gather(*(run(case) for case in found if not cases.identifier(case).startswith("9.")))
    for case in found:
        if cases.identifier(case).startswith("9."):
            await run(case)
    return results


async def offerCompression(host, port, path, offer):
    """Returns the status line of a handshake that offers compression, and whether the server agreed to it."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write((
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Extensions: {offer}\r\n\r\n").encode())
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return head.split(b"\r\n")[0].decode(), b"sec-websocket-extensions" in head.lower()


async def judgeCompression(host, port, path):
    """12.* and 13.* test compression, which is off. The server declines the offer, and the suite calls that UNIMPLEMENTED."""
    short = await offerCompression(host, port, path, "permessage-deflate; client_max_window_bits")
    long = await offerCompression(host, port, path, ", ".join(["permessage-deflate; client_max_window_bits=9"] * 7))
    return {
        "12.*, 13.1 to 13.6": {
            "behavior": "UNIMPLEMENTED" if short == ("HTTP/1.1 101 Switching Protocols", False) else "FAILED",
            "result": f"an offer of permessage-deflate is answered with {short[0]}, without the extension"},
        "13.7": {
            "behavior": "UNIMPLEMENTED" if long == ("HTTP/1.1 101 Switching Protocols", False) else "FAILED",
            "result": f"offers of more than 255 bytes are answered with {long[0]}, without the extension"},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", required=True, help="the folder of the installed autobahntestsuite")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", default="/echo")
    parser.add_argument("--only", help="cases that begin with this, e.g. 6.4")
    parser.add_argument("--report", help="a JSON file to write every result to")
    parser.add_argument("--junit", help="a JUnit file to write every verdict to")
    arguments = parser.parse_args()
    known = json.load(open(os.path.join(os.path.dirname(__file__), "known-failures.json"), encoding="utf-8"))
    found = cases.load(arguments.package, WebSocketProtocol)
    if arguments.only:
        found = [case for case in found if cases.identifier(case).startswith(arguments.only)]
    results = asyncio.run(runAll(found, arguments.host, arguments.port, arguments.path))
    compression = asyncio.run(judgeCompression(arguments.host, arguments.port, arguments.path))
    if arguments.report:
        with open(arguments.report, "w", encoding="utf-8") as file:
            json.dump(results | compression, file, indent=1)
    unexpected = summarise(results, compression, known)
    if arguments.junit:
        writeJUnit(arguments.junit, results | compression, unexpected)
    return 1 if unexpected or not results else 0


def reason(result):
    return f"{result['behavior']}, close {result.get('behaviorClose')}: {result['result']} {result.get('resultClose', '')}"


def writeJUnit(path, results, unexpected):
    suite = ElementTree.Element("testsuite", name="autobahn", tests=str(len(results)), failures=str(len(unexpected)))
    for name, result in results.items():
        case = ElementTree.SubElement(suite, "testcase", classname="autobahn", name=name)
        if name in unexpected:
            ElementTree.SubElement(case, "failure", message=reason(result))
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def summarise(results, compression, known):
    """Prints the results of the cases. Returns the names of those that failed unexpectedly."""
    counts, unexpected = {}, []
    for name, result in results.items():
        behaviors = {result["behavior"], result["behaviorClose"]}
        counts[result["behavior"]] = counts.get(result["behavior"], 0) + 1
        if not behaviors <= GOOD and name not in known:
            unexpected.append(name)
    print(f"{len(results)} cases: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    for name, cause in known.items():
        if name in results:
            print(f"known: {name} {results[name]['behavior']}: {cause}")
    for name, result in compression.items():
        print(f"compression: {name} {result['behavior']}: {result['result']}")
        if result["behavior"] != "UNIMPLEMENTED":
            unexpected.append(name)
    for name in unexpected:
        print(f"FAILED: {name}: {reason(results.get(name) or compression[name])}")
    return unexpected


sys.exit(main())
