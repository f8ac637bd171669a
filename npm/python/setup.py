"""Packs the JavaScript of the package into the archive that the jsii runtime loads."""

import gzip
import io
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

JSII = Path('hangar_cdk8s/_jsii')


class BuildWithArchive(build_py):
    def run(self):
        super().run()
        (Path(self.build_lib) / JSII / 'hangar-cdk8s@0.1.0.jsii.tgz').write_bytes(archive())


def archive() -> bytes:
    """The same bytes for the same files: the jsii runtime caches what it unpacks by their digest."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode='wb', mtime=0, filename='') as compressed:
        with tarfile.open(fileobj=compressed, mode='w', format=tarfile.USTAR_FORMAT) as tar:
            for name in ('.jsii', 'index.js', 'package.json'):
                data = (Path(__file__).parent / JSII / 'package' / name).read_bytes()
                entry = tarfile.TarInfo(f'package/{name}')
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


setup(cmdclass={'build_py': BuildWithArchive})
