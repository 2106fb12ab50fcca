"""The tools every vault has."""
