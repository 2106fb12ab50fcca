"""JavaScript: JSON in, JSON out, within limits.

Three walls stand around every block: the engine's own limits, a worker process that has given up
files, sockets, processes and signals, and a parent that kills and replaces it at the deadline.
"""

from paperagents.sandbox.block import ConsoleLine, EndsBlock, HostFunctions, JavaScriptResult
from paperagents.sandbox.limits import Cancellation, Limits
from paperagents.sandbox.pool import Sandbox, run_javascript
from paperagents.sandbox.worker_process import Wall, check_walls

__all__ = [
    "Cancellation",
    "ConsoleLine",
    "EndsBlock",
    "HostFunctions",
    "JavaScriptResult",
    "Limits",
    "Sandbox",
    "Wall",
    "check_walls",
    "run_javascript",
]
