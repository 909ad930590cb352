"""Connects to every port on which the processes of another user listen, and says what no rank would say.

usage: python3 stranger.py UID TRIES

Ends when rank 0 of that user's run has refused TRIES connections. Prints their number and the addresses at which
rank 0 listens; the other ports are those of c10d and srun. Ends with status 1 if rank 0 says more than its nonce.
"""
import re
import socket
import sys
import time

uid, tries = int(sys.argv[1]), int(sys.argv[2])
WORDS = [
    b'hello\t1\tnode1\t101\t7\tepochcast 1\t2\tmodel=mlp\tbatch=8\n',  # the protocol before there was a secret
    b'a' * 1_000_000,
    b'\n' * 100,
    b'0' * 64 + b'\n' + b'0' * 64 + b' hello\n',
    b'0' * 64 + b'\nfail\tother\tI say so\n',
    b'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
]
NONCE = re.compile(rb'[0-9a-f]{64}\n')
OTHER_TRIES = 40  # for ports that are not those of our own protocol


def listening():
    """(address, port) of each listening socket of the user."""
    with open('/proc/net/tcp') as table:
        for words in (line.split() for line in table.readlines()[1:]):
            if words[3] == '0A' and int(words[7]) == uid:
                address, port = words[1].split(':')
                yield socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)


def answer_to(words, port):
    """All that was received until the connection was closed; what came within 3 s if it was not."""
    received = b''
    with socket.create_connection(('127.0.0.1', port), 3) as connection:
        connection.settimeout(3)
        try:
            received += connection.recv(65)
            connection.sendall(words)
            while more := connection.recv(4096):
                received += more
        except (ConnectionError, TimeoutError):
            pass
    return received


refused = 0
addresses, others = set(), {}
while refused < tries:
    for address, port in list(listening()):
        if others.get(port, 0) >= OTHER_TRIES:
            continue
        if port in others:
            try:
                with socket.create_connection(('127.0.0.1', port), 3) as connection:
                    connection.sendall(WORDS[others[port] % len(WORDS)])
            except (ConnectionError, TimeoutError):
                pass
            others[port] += 1
            continue
        try:
            received = answer_to(WORDS[refused % len(WORDS)], port)
        except (ConnectionError, TimeoutError):
            continue
        if NONCE.fullmatch(received):
            refused += 1
            addresses.add(address)
        elif NONCE.match(received):
            sys.exit(f'rank 0 answered a stranger: {received!r}')
        else:
            others[port] = 1
    time.sleep(0.01)
print(refused, *sorted(addresses))
