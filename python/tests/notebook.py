"""Execute a notebook's cells with plain Python, where Jupyter is not installed."""


class Shell:
    """What extensions need of IPython: variables, and a place for magics."""

    def __init__(self):
        self.user_ns, self.magics = {}, {}

    def register_magic_function(self, function, kind, name):
        self.magics[name] = function


def execute(cells):
    """Execute code cells in order and return their variables. Lines of %load_ext and cells of a magic do what they do in IPython."""
    shell = Shell()
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        text = "".join(cell["source"])
        if text.startswith("%%"):
            line, _, body = text.partition("\n")
            name, _, rest = line[2:].partition(" ")
            shell.magics[name](rest, body)
            continue
        python = []
        for line in text.splitlines():
            if line.startswith("%load_ext "):
                __import__(line.split()[1]).load_ipython_extension(shell)
            else:
                python.append(line)
        exec(compile("\n".join(python), "cell", "exec"), shell.user_ns)
    return shell.user_ns
