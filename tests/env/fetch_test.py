#!/usr/bin/env python3
"""Tests of env/fetch, on lists and files of its own; and of the form of env/fetch.ini."""
import configparser
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = {'md5': 32, 'sha1': 40, 'sha256': 64}


def sha256(data):
    return 'sha256:' + hashlib.sha256(data).hexdigest()


class Fetch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name)
        self.server, self.folder = self.top / 'server', self.top / 'got'
        self.server.mkdir()

    def serve(self, name, data):
        (self.server / name).write_bytes(data)
        return (self.server / name).as_uri()

    def fetch(self, files, name='data', more=''):
        listing = self.top / 'list.ini'
        listing.write_text('[data]\nabout = some data\nfiles = %s\n%s' % (files, more))
        return subprocess.run([sys.executable, str(ROOT / 'env/fetch'), '--list', str(listing), name, str(self.folder)],
                              universal_newlines=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def assert_fails(self, done, status, text):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertNotIn('Traceback', done.stderr)

    def test_verifies_and_unpacks(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, 'w') as archive:
            archive.writestr('sprites/1/a.png', 'picture')
        address = self.serve('sprites.zip', packed.getvalue())
        done = self.fetch(sha256(packed.getvalue()) + ' ' + address, more='use = train on {folder}/sprites\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / 'sprites/1/a.png').read_text(), 'picture')
        self.assertIn('use: train on %s/sprites' % self.folder, done.stdout)

    def test_downloads_a_verified_file_once(self):
        address = self.serve('a.csv', b'1,2')
        files = sha256(b'1,2') + ' ' + address
        self.assertEqual(self.fetch(files).returncode, 0)
        (self.server / 'a.csv').unlink()
        self.assertEqual(self.fetch(files).returncode, 0)

    def test_downloads_a_damaged_file_again(self):
        files = sha256(b'1,2') + ' ' + self.serve('a.csv', b'1,2')
        self.folder.mkdir()
        (self.folder / 'a.csv').write_bytes(b'1,')
        self.assertEqual(self.fetch(files).returncode, 0)
        self.assertEqual((self.folder / 'a.csv').read_bytes(), b'1,2')

    def test_refuses_and_removes_what_has_another_checksum(self):
        done = self.fetch(sha256(b'1,2') + ' ' + self.serve('a.csv', b'1,3'))
        self.assert_fails(done, 1, 'expected ' + hashlib.sha256(b'1,2').hexdigest())
        self.assertEqual(list(self.folder.glob('a.csv*')), [])

    def test_keeps_the_first_checksum_where_none_is_published(self):
        files = 'sha256:? ' + self.serve('a.csv', b'1,2')
        self.assertEqual(self.fetch(files).returncode, 0)
        self.assertEqual((self.folder / 'SHA256SUMS').read_text(), hashlib.sha256(b'1,2').hexdigest() + '  a.csv\n')
        (self.folder / 'a.csv').unlink()
        self.serve('a.csv', b'1,3')
        self.assert_fails(self.fetch(files), 1, 'damaged on its way or changed')

    def test_tries_the_next_address(self):
        missing = (self.server / 'model.safetensors').as_uri()
        files = 'sha256:? %s | %s' % (missing, self.serve('model.bin', b'w'))
        self.assertEqual(self.fetch(files).returncode, 0)
        self.assertTrue((self.folder / 'model.bin').exists())
        self.assert_fails(self.fetch('sha256:? ' + missing), 1, 'there is no file at ' + missing)

    def tar(self, *names, **attributes):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode='w:gz') as archive:
            for name in names:
                member = tarfile.TarInfo(name)
                for key, value in attributes.items():
                    setattr(member, key, value)
                archive.addfile(member)
        return sha256(packed.getvalue()) + ' ' + self.serve('sources.tar.gz', packed.getvalue())

    def test_drops_the_top_folder_of_sources(self):
        self.assertEqual(self.fetch(self.tar('lib-1.0/include/a.h') + ' lib').returncode, 0)
        self.assertTrue((self.folder / 'lib/include/a.h').exists())

    def test_unpacks_nothing_outside_of_the_folder(self):
        self.assert_fails(self.fetch(self.tar('../escaped')), 1, 'leads out of the folder')
        self.assertFalse((self.top / 'escaped').exists())
        self.assertEqual(self.fetch(self.tar('link', type=tarfile.SYMTYPE, linkname='/etc/passwd')).returncode, 0)
        self.assertFalse((self.folder / 'link').is_symlink())

    def test_names_what_is_known(self):
        self.assert_fails(self.fetch('', name='dat'), 2, "unknown name 'dat'; known: data")

    def test_an_address_without_an_answer_is_one_line(self):
        done = self.fetch('sha256:? http://127.0.0.1:9/a.csv')
        self.assert_fails(done, 1, 'no answer')
        self.assertEqual(len(done.stderr.splitlines()), 2)


class List(unittest.TestCase):
    def test_every_entry_has_files_with_checksums_or_the_reason_why_not(self):
        entries = configparser.ConfigParser(interpolation=None)
        entries.read(str(ROOT / 'env/fetch.ini'))
        self.assertGreater(len(entries.sections()), 10)
        for name in entries.sections():
            self.assertIn('about', entries[name])
            self.assertNotEqual('files' in entries[name], 'where' in entries[name], name)
            for word in entries[name].get('files', '').split():
                checksum = re.fullmatch(r'(md5|sha1|sha256):([0-9a-f]+|\?)', word)
                if checksum:
                    self.assertIn(checksum[2], ['?', checksum[2][:LENGTHS[checksum[1]]].ljust(LENGTHS[checksum[1]], '-')], name)
                else:
                    self.assertTrue('://' in word or re.fullmatch(r'\||[\w/-]+', word), word)


if __name__ == '__main__':
    unittest.main()
