"""Pictures: what others computed, drawn."""
