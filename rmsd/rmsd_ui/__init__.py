"""The dashboard: pages in a browser, from the public API with the rights of the caller."""
