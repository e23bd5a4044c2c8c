"""What the package indexes offer, as pip is configured: files, their hashes, and the metadata inside them.

pip keeps to itself how it reads an index, so this uses its internals; nothing but ``make lock`` depends on them.
"""

import hashlib
import io
import logging
import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from typing import Any, cast

from packaging.tags import Tag
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version
from pip._internal.commands.download import DownloadCommand
from pip._internal.index.collector import LinkCollector, parse_links
from pip._internal.models.link import Link
from pip._internal.network.lazy_wheel import HTTPRangeRequestUnsupported, dist_from_wheel_url

PYTHONS = ("3.11", "3.12", "3.13")
MINORS = tuple(int(python.partition(".")[2]) for python in PYTHONS)
PLATFORMS = ("any", "linux", "manylinux", "musllinux", "macosx", "win")


@dataclass(frozen=True)
class File:
    """A wheel or a source distribution; the latter has no tags."""

    link: Link
    version: Version
    tags: frozenset[Tag]


class Index:
    """All indexes and folders that pip would look into."""

    def __init__(self) -> None:
        logging.getLogger("pip").setLevel(logging.ERROR)  # It warns of each index that lacks a package.
        command = DownloadCommand("download", "")
        options, _ = command.parse_args([])
        self._session = command._build_session(options)  # pyright: ignore[reportPrivateUsage]
        self._collector = LinkCollector.create(self._session, options=options)

    def files(self, name: str) -> list[File]:
        """The files of all versions that some supported Python on Linux, macOS or Windows could use."""
        parsed = (parse(link, name) for link in self._links(name))
        return [file for file in parsed if file and (not file.tags or any(map(usable, file.tags)))]

    def sha256(self, file: File) -> str:
        """The hash that the index states, or, where it states none, that of the content."""
        if file.link.hash_name == "sha256" and file.link.hash:
            return file.link.hash
        return hashlib.sha256(self._content(file)).hexdigest()

    def metadata(self, file: File) -> Message:
        """What a file says about itself; of a wheel only this part is fetched, where the server allows it."""
        if not file.tags:
            return self._source_metadata(file)
        try:
            name = file.link.filename.partition("-")[0]
            return dist_from_wheel_url(name, file.link.url_without_fragment, self._session).metadata
        except HTTPRangeRequestUnsupported:
            with zipfile.ZipFile(io.BytesIO(self._content(file))) as wheel:
                name = next(name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
                return message_from_bytes(wheel.read(name))

    def _source_metadata(self, file: File) -> Message:
        with tarfile.open(fileobj=io.BytesIO(self._content(file))) as source:
            name = next(name for name in source.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", name))
            member = source.extractfile(name)
            assert member is not None
            return message_from_bytes(member.read())

    def _content(self, file: File) -> bytes:
        answer = self._session.get(file.link.url_without_fragment)
        answer.raise_for_status()
        return answer.content

    def _links(self, name: str) -> Iterator[Link]:
        def of_page(page: Link) -> list[Any]:  # pip makes candidates of links here; links are enough.
            answer = self._collector.fetch_response(page)
            return list(parse_links(answer)) if answer else []

        sources = self._collector.collect_sources(name, candidates_from_page=of_page)
        for source in filter(None, (*sources.find_links, *sources.index_urls)):
            yield from cast(Iterable[Link], source.page_candidates())
            yield from source.file_links()


def parse(link: Link, name: str) -> File | None:
    """The file behind a link, or None if it is of another package or in a format that pip does not install."""
    tags: frozenset[Tag] = frozenset()
    try:
        if link.filename.endswith(".whl"):
            found, version, _, tags = parse_wheel_filename(link.filename)
        else:
            found, version = parse_sdist_filename(link.filename)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    return File(link, version, tags) if found == name else None


def usable(tag: Tag) -> bool:
    """Whether a tag is one of a supported CPython; builds without the lock of the interpreter are others."""
    found = re.fullmatch(r"(py|cp)3(\d*)", tag.interpreter)
    if not found or not tag.platform.startswith(PLATFORMS):
        return False
    minor = int(found[2] or 0)
    if tag.abi == "abi3" or found[1] == "py":
        return minor <= max(MINORS) and tag.abi in ("abi3", "none")
    return minor in MINORS and tag.abi in (tag.interpreter, "none")
