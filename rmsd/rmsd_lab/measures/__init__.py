"""The measures of a schedule."""
