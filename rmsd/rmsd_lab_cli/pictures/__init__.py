"""Pictures of schedules and studies: charts, Gantt charts, and the page that has them all."""

import logging

# This comes before matplotlib is imported, which warns of caches that it makes or cannot keep.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
