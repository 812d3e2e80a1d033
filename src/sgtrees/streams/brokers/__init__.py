"""Topics of Kafka and streams of Redis as streams of rows, and as places for predictions."""
