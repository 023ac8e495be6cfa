"""Next-frame models have networks of two layouts, with their layers."""
