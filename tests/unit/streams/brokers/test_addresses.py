import pytest

from sgtrees.streams import StreamError
from sgtrees.streams.brokers.addresses import is_address, read_address


def test_names_are_decoded_as_in_any_url():
    assert read_address("redis://localhost/flights%20of%202013").name == "flights of 2013"
    assert read_address("rediss://u:p@host:1/a:b").server_url == "rediss://u:p@host:1"


@pytest.mark.parametrize("text", ["kafka://", "kafka://host", "redis:///a", "redis://host/"])
def test_an_address_has_a_host_and_a_name(text):
    assert is_address(text)
    with pytest.raises(StreamError, match="is not an address"):
        read_address(text)


def test_a_database_number_is_no_part_of_a_name():
    with pytest.raises(StreamError, match="is not the name of a topic or stream"):
        read_address("redis://host/0/flights")


@pytest.mark.parametrize("text", ["redis://ann:secret@", "redis://ann:secret@host/a/b"])
def test_messages_have_no_password(text):
    with pytest.raises(StreamError) as caught:
        read_address(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("source", ["a.csv", "-", 5, None, "http://host/a", "s3://bucket/a"])
def test_other_sources_are_no_addresses(source):
    assert not is_address(source)
