"""``python -m featmap`` is the command ``featmap``."""

from .cli import main

if __name__ == "__main__":
    main()
