"""The command line `paper`."""
