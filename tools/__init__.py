"""What developers run: the lock of all dependencies (``make lock``) and the bill of materials (``make sbom``)."""
