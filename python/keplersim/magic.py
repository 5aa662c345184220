"""The magic %%keplersim of Jupyter: a cell of CUDA C that runs on a simulated GPU.

    %load_ext keplersim

    %%keplersim --grid 4 --block 256 --into table 1024 2.0 x y
    extern "C" __global__ void saxpy(unsigned n, float a, const float *x, float *y) { ... }

Words that are no flags are the kernel's arguments in order: names of Python variables, or values as --arg takes them. --into NAME keeps
the table in a variable; all other flags are those of keplersim run, each with a value.
"""

import shlex

from . import run


def cell(shell):
    """Return the magic for a shell, from which it takes and to which it gives variables."""

    def keplersim(line, text):
        """Run a cell of CUDA C on a simulated GPU."""
        words, args, flags, into = shlex.split(line), [], [], None
        while words:
            word = words.pop(0)
            if word.startswith("--"):
                flag, equals, value = word.partition("=")
                if not equals and not words:
                    raise ValueError("%s has no value" % flag)
                value = value if equals else words.pop(0)
                if flag == "--into":
                    into = value
                else:
                    flags += [flag, value]
            else:
                args.append(shell.user_ns.get(word, word) if word.isidentifier() else word)
        table = run(text + "\n", args=args, flags=flags)
        if into:
            shell.user_ns[into] = table
            return None
        return table

    return keplersim
