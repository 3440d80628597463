"""The lab from Python: what `import rmsd_lab` hands out."""
