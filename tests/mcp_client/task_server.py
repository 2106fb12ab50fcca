"""An MCP server for the tests whose tools work as tasks alone; the file it is given tells what it was asked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SAID = Path(sys.argv[1])
READS = {"annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object"}, "description": "d"}
TOOLS = [{"name": name, "execution": {"taskSupport": "required"}, **READS} for name in ("report", "endless")]
TASK = {"createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}


CAN: dict[str, Any] = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}


def answer(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """What is said to one request; nothing where it takes for ever."""
    match method, given:
        case "initialize", _:
            information = {"serverInfo": {"name": "slow", "version": "1"}, "capabilities": CAN}
            said: dict[str, Any] = {"result": {"protocolVersion": "2025-11-25", **information}}
        case "tools/list", _:
            said = {"result": {"tools": TOOLS}}
        case "tools/call", {"task": _, "name": name}:
            said = {"result": {"task": {"taskId": name, "status": "working", **TASK}}}
        case "tasks/result", {"taskId": "report"}:
            said = {"result": {"content": [{"type": "text", "text": "all is well"}]}}
        case "tasks/result", _:
            said = {}
        case "tasks/cancel", {"taskId": task}:
            said = {"result": {"taskId": task, "status": "cancelled", **TASK}}
        case _:
            said = {"error": {"code": -32601, "message": "Method not found"}}
    return said


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            with SAID.open("a", encoding="utf-8") as said:
                said.write(f"{request['method']}\n")
            if told := answer(request["method"], request.get("params", {})):
                sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **told}) + "\n")
                sys.stdout.flush()
