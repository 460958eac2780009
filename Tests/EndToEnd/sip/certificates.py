"""Authorities and certificates of SIP servers: one that is right, and those that must be refused."""

import os
import subprocess

from support.waiting import GIVE_UP

DOMAIN = "phones.test"
"""The domain of the accounts in tests."""


class Certificates:
    """An authority that plugins trust, and the files of the certificates, all in one folder."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.authority = self.make_authority("authority")
        """The file of the authority that is trusted."""

    def make_authority(self, name):
        path = self.path(name)
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                     "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE",
                     "-keyout", self.key(path), "-out", path)
        return path

    def issue(self, name, hosts=(DOMAIN,), authority="authority", is_expired=False):
        """Issues a certificate for these hosts and returns its file; `key` tells the file of its key."""
        path, request = self.path(name), os.path.join(self.folder, f"{name}.request")
        extensions = os.path.join(self.folder, f"{name}.extensions")
        names = ",".join(f"IP:{host}" if host[0].isdigit() or ":" in host else f"DNS:{host}" for host in hosts)
        with open(extensions, "w", encoding="ascii") as file:
            file.write(f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")
        self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                     "-subj", f"/CN={hosts[0]}", "-keyout", self.key(path), "-out", request)
        signer = self.path(authority)
        # A certificate of a negative number of days has expired before it was made.
        self.openssl("x509", "-req", "-in", request, "-CA", signer, "-CAkey", self.key(signer), "-CAcreateserial",
                     "-days", "-1" if is_expired else "30", "-extfile", extensions, "-out", path)
        return path

    def good(self):
        return self.issue("good")

    def expired(self):
        return self.issue("expired", is_expired=True)

    def wrong_host(self):
        return self.issue("wrong-host", hosts=("elsewhere.test",))

    def of_another_authority(self):
        self.make_authority("stranger")
        return self.issue("other", authority="stranger")

    def path(self, name):
        return os.path.join(self.folder, f"{name}.pem")

    @staticmethod
    def key(path):
        """The file of the key of the certificate in `path`."""
        return path.removesuffix(".pem") + ".key"

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=GIVE_UP)
