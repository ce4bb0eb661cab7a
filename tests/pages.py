"""Pages as a browser reads them: that they are whole, what stands in them, and that nothing is fetched from outside."""

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "hr", "link", "input"}
FETCHED = ("src", "href", "xlink:href", "data", "action", "background")


class Page(HTMLParser):
    """Tags opened and closed in order, texts by the tag they stand in, and attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.texts.append((self.open[-1], data.strip()))

    def within(self, tag):
        """Return the texts that stand in tags of a name."""
        return [text for where, text in self.texts if where == tag]

    def assert_stands_alone(self):
        """Assert that it runs nothing and fetches nothing."""
        assert not {"script", "link", "iframe", "object", "base"} & set(self.tags)
        for name, value in self.attributes:
            assert not name.startswith("on")
            assert name not in FETCHED or value.startswith(("#", "data:image/png;base64,"))
        for text in [value or "" for _, value in self.attributes] + self.within("style"):
            assert "@import" not in text
            assert "url(" not in text.replace("url(#", "")
