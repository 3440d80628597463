"""What a shepherd consists of, and what the agent shares with it.

Standard library only, and little of it: there is one shepherd for every running unit, and each has
to start in a few milliseconds. Modules in here import each other relatively, since the package has
one name in a shepherd and another one in the agent. They import nothing else of the agent.
"""
