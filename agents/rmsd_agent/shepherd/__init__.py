"""The shepherd: the program that runs one unit at a time (`python -I -S .../rmsd_agent/shepherd`).

Python puts this folder in front of its path when it runs the folder. So nothing but `standalone`
is in here: a file with the name of a module of the standard library would hide that module.
"""
