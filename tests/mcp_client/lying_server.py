"""An MCP server for the tests that says what it should not, word by word without a library that would not let it."""

from __future__ import annotations

import json
import sys
from typing import Any

READS = {"annotations": {"readOnlyHint": True}, "description": "d"}
PLAIN = {"type": "object"}
TOOLS = [
    {"name": "refuse", "inputSchema": PLAIN, **READS},
    {"name": "no_number", "inputSchema": PLAIN, **READS},
    {"name": "nothing", "inputSchema": PLAIN, **READS},
    {"name": "other", "inputSchema": PLAIN, "outputSchema": {**PLAIN, "required": ["there"]}, **READS},
    {"name": "foreign", "inputSchema": {**PLAIN, "properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}, **READS},
]
ANSWERS: dict[str, dict[str, Any]] = {
    "refuse": {"error": {"code": -32602, "message": "not today"}},
    "no_number": {"result": {"content": [], "structuredContent": {"a": float("nan")}}},
    "nothing": {"result": {}},
    "other": {"result": {"content": [], "structuredContent": {"here": 1}}},
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What is said to one request."""
    method, given = request["method"], request.get("params", {})
    if method == "initialize":
        can: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}}
        information = {"serverInfo": {"name": "liar", "version": "1"}, "capabilities": can}
        return {"result": {"protocolVersion": given["protocolVersion"], **information}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return ANSWERS[given["name"]]
    if method == "resources/list":
        return {"result": {"resources": [{"uri": "book://first", "name": "first"}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}) + "\n")
            sys.stdout.flush()
