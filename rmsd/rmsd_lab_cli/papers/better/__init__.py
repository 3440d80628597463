"""The study of docs/better.md: rmsd's own recipes beside the schedulers of the papers."""
