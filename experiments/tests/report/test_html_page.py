import re
from html.parser import HTMLParser

from sgtrees_experiments.report.document import all_tables, sections
from sgtrees_experiments.report.html_page import html_page


class Counter(HTMLParser):
    """Counts tags, and remembers those that were not closed."""

    VOID = ("meta", "br", "path", "use", "image")

    def __init__(self):
        super().__init__()
        self.count, self.open = {}, []

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_one_file_with_all_tables_and_figures(summaries):
    parts = sections(summaries, {"date": "today <b>"})
    page = html_page(parts)
    counter = Counter()
    counter.feed(page)
    assert counter.open == []
    assert counter.count["svg"] == sum(len(part.figures) for part in parts) == 4
    assert counter.count["table"] == len(all_tables(parts))
    assert "today &lt;b&gt;" in page
    assert not re.search(r'(src|href)="https?://', page)
    assert "<strong>Lambda.</strong>" in page
    titles = [part.title for part in parts]
    assert titles[0] == "What holds"
    assert "What could not be run" in titles
    assert "ORTO on aws: no Java here" in page
