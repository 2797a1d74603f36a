"""Build the source distribution and the wheel twice and keep them if both builds have the same bytes: ``make dist``.

The files of the last commit are built, so that nothing that lies about in the folder gets into a release. Times in
both archives are that of the commit. setuptools sees to this in the wheel only, so the source distribution is packed
again.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)")


def main() -> None:
    if git("status", "--porcelain"):
        raise SystemExit("make dist: there are changes that are not committed; commit them first")
    epoch = git("log", "-1", "--format=%ct")
    with tempfile.TemporaryDirectory() as folder:
        first, second = (built(Path(folder) / name, epoch) for name in ("first", "longer-name-of-second"))
        differing = [name for name in first.keys() | second.keys() if first.get(name) != second.get(name)]
    if differing:
        raise SystemExit(f"make dist: two builds of one commit differ: {', '.join(sorted(differing))}")
    DIST.mkdir(exist_ok=True)
    for name, content in sorted(first.items()):
        (DIST / name).write_bytes(content)
        print(f"dist/{name}: {len(content) / 1000:.0f} kB, the same twice")
    relative = RELATIVE_LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    if relative:
        print(f"README.md has {len(relative)} relative links and pictures, which do not work on a package index")


def built(folder: Path, epoch: str) -> dict[str, bytes]:
    """The distributions of the last commit by name, built in a folder of its own."""
    source, out = folder / "source", folder / "out"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(source, filter="data")
    build = [sys.executable, "-m", "build", "--outdir", str(out), str(source)]
    subprocess.run(build, env=os.environ | {"SOURCE_DATE_EPOCH": epoch}, check=True, stdout=subprocess.DEVNULL)
    return {
        path.name: packed_again(path, int(epoch)) if is_sdist(path) else path.read_bytes() for path in out.iterdir()
    }


def is_sdist(path: Path) -> bool:
    return path.name.endswith(".tar.gz")


def packed_again(path: Path, epoch: int) -> bytes:
    """The same files in order, with one time and no owner."""
    packed = io.BytesIO()
    with (
        tarfile.open(path) as old,
        gzip.GzipFile("", "wb", fileobj=packed, mtime=epoch) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            may_run = member.isdir() or member.mode & 0o100
            plain = member.replace(mtime=epoch, mode=0o755 if may_run else 0o644, uid=0, gid=0, uname="", gname="")
            plain.pax_headers = {}
            new.addfile(plain, old.extractfile(member) if member.isfile() else None)
    return packed.getvalue()


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
