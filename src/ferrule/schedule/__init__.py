"""Order, buffers, views: the plan."""
