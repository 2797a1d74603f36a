import os
import signal
import threading
import webbrowser

from featmap.explorer import serve


def opened(url: str) -> bool:
    """Once the page is open, serving ends as it does for a user, by Ctrl-C."""
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    return True


webbrowser.open = opened
serve("model.featmap")
