"""A Python object on the wire: `python -m tploracle.adapter module:object`. The public name of `wire.adapter`."""

from .wire.adapter import Adapter, load, main, serve_object

__all__ = ["Adapter", "load", "main", "serve_object"]

if __name__ == "__main__":
    main()
