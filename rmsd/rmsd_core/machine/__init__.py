"""The machine: nodes, and their free capacity now and later."""
