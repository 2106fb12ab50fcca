"""What must not be shown, and where it is kept."""
