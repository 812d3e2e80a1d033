"""The accuracy study: settings, and the peers' trees, over streams in several orders."""
