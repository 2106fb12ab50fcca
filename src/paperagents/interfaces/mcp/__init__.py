"""The vault for MCP clients, of both protocol eras, over standard input and output and over HTTP."""
