"""How tensors of goldens are drawn."""

import numpy as np

# Higher, and the worst row of some case is more than 3e-6 away from a computation in double.
QUERY_KEY_GAIN = 1.2


class Weights:
    """Draws tensors that make every part matter: matrices near unit gain, queries and keys 1.2 times that so that
    attention is far from uniform, norms 1 + 0.3 normal, biases 0.3 normal. Embedding rows have scales spread over
    0.01 to 1: the small ones let a wrong epsilon show, the large ones a wrong residual stream."""

    def __init__(self, seed: int):
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.tensors: dict[str, np.ndarray] = {}

    def _draw(self, *shape):
        return self.random.standard_normal(shape)

    def matrix(self, name, rows, columns, *, gain=1.0):
        self.tensors[name] = gain * self._draw(rows, columns) / np.sqrt(columns)

    def embedding(self, name, rows, columns, *, smallest=0.01):
        scale = 10.0 ** self.random.uniform(np.log10(smallest), 0, (rows, 1))
        self.tensors[name] = scale * self._draw(rows, columns)

    def norm(self, name, size, *, gain=1.0, bias=False, around=1):
        """size: of a vector; or of a table, a row a head."""
        shape = size if isinstance(size, tuple) else (size,)
        self.tensors[f"{name}.weight"] = gain * (around + 0.3 * self._draw(*shape))
        if bias:
            self.bias(name, size)

    def bias(self, name, size):
        self.vector(f"{name}.bias", size)

    def vector(self, name, size, *, gain=0.3):
        self.tensors[name] = gain * self._draw(size)

    def table(self, name, rows, columns):
        self.tensors[name] = self._draw(rows, columns)

    def projection(self, name, rows, columns, bias, *, gain=1.0):
        """Stored (out, in)."""
        self.matrix(f"{name}.weight", rows, columns, gain=gain)
        if bias:
            self.bias(name, rows)

    def convolution(self, name, channels, inputs, taps, bias):
        """Stored (channels, inputs, taps)."""
        self.tensors[f"{name}.weight"] = self._draw(channels, inputs, taps) / np.sqrt(inputs * taps)
        if bias:
            self.bias(name, channels)

    def heads_of_qkv(self, name, heads, hidden, bias):
        """One tensor with each head's queries, keys and values, head after head."""
        self.projection(name, 3 * hidden, hidden, bias)
        by_head = self.tensors[f"{name}.weight"].reshape(heads, 3, hidden // heads, hidden)
        by_head[:, :2] *= QUERY_KEY_GAIN
