"""A vault over HTTP: the REST API, MCP and live events, behind one guard."""
