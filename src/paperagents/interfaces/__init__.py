"""The ways in: command line, web page, REST, MCP."""
