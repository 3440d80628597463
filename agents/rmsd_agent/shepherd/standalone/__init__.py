"""The modules of a shepherd, some of which the agent uses as well.

Standard library only, and little of it: there is one shepherd for every running unit, and each has
to start in a few milliseconds. Modules in here import each other relatively, since the package has
one name in a shepherd and another one in the agent. They import nothing else of the agent.
"""
