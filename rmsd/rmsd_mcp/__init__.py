"""`rmsd mcp`: the cluster as tools of the Model Context Protocol, with the rights of the caller."""
