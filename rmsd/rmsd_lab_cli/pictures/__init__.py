"""Pictures of schedules and studies: charts, Gantt charts, and the page that has them all."""
