"""Pictures of schedules and studies: charts, Gantt charts, and the page that has them all."""

import logging

# Before matplotlib is imported: it warns of caches that it makes or cannot keep.
logging.getLogger("matplotlib").setLevel(logging.ERROR)
