"""Descriptions of other systems become notes: tools of a service that describes itself with OpenAPI."""
