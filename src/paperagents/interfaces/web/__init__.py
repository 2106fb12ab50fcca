"""The pages of a vault: choose a tool, fill in a form, watch it run, decide, look back."""
