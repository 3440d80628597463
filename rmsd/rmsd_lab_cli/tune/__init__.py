"""`rmsd tune`: a recipe for a site, chosen by one half of its history and judged by the other."""
