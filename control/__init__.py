"""The control plane: it decides, records and enforces; see DESIGN.md."""
