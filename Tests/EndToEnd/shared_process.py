"""What the threads of one pytest process share: the folder of temporary files, and the environment of child processes.

Every suite loads it (`-p shared_process`).
"""

import os
import subprocess

import pytest


def environment():
    """A copy of this process's environment. Another thread may change it at the same time."""
    while True:
        try:
            return dict(os.environ)
        except KeyError:
            # A variable was removed between the list of names and the read of its value.
            pass


class Popen(subprocess.Popen):
    """A process with an environment of its own.

    pytest sets PYTEST_CURRENT_TEST before each step of a test, and setenv(3) may move the table of the variables. A thread
    that starts a program with that table at the same moment gets EFAULT, "Bad address".
    """

    def __init__(self, *arguments, env=None, **named):
        super().__init__(*arguments, env=environment() if env is None else env, **named)


subprocess.Popen = Popen


@pytest.fixture(scope="session", autouse=True)
def base_of_temporary_folders(tmp_path_factory):
    """Creates the base folder before any thread can ask for it. Two threads at once would create two."""
    tmp_path_factory.getbasetemp()
