"""The names of the formats of messages."""

PAYLOAD_FORMATS = ("json", "avro", "confluent-avro", "arrow")
