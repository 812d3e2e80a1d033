"""What the default tree reaches on streams in their own order, beside the bars that are set."""
