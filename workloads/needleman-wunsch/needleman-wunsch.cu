// Alignment of two sequences by Needleman and Wunsch: a table in which each cell needs those above, to the left and between.
//
// Only cells of one anti-diagonal are independent. The table is cut into tiles of 32 x 32, one launch does one diagonal of
// tiles (a wavefront), and inside a tile one warp sweeps over the cells in the same way. So parallelism grows and shrinks:
// the first and last launches have one block of one warp, and time goes into latencies and launches, not into work.
// Cells of an anti-diagonal in shared memory lie a pitch less one apart. With the usual padded pitch of 33 that is 32 words: all in
// one bank. A pitch of 34 spreads them.
// score[row][column] is the best score of the first row + 1 letters of a against the first column + 1 letters of b.
constexpr int TILE = 32, PITCH = TILE + 2;
constexpr int MATCH = 3, MISMATCH = -2, GAP = -4;

extern "C" __global__ void align_tiles(const unsigned char *a, const unsigned char *b, int *score, int n, int diagonal) {
  __shared__ int cell[TILE + 1][PITCH]; // row 0 and column 0 are the neighbouring tiles' last
  __shared__ unsigned char letters[TILE];
  int t = threadIdx.x, tiles = n / TILE, tile_column = max(0, diagonal - tiles + 1) + blockIdx.x, tile_row = diagonal - tile_column;
  int row = tile_row * TILE, column = tile_column * TILE;
  // Beyond the table all letters so far stand against gaps.
  cell[0][t + 1] = row > 0 ? score[(row - 1) * n + column + t] : (column + t + 1) * GAP;
  cell[t + 1][0] = column > 0 ? score[(row + t) * n + column - 1] : (row + t + 1) * GAP;
  if (t == 0) cell[0][0] = row > 0 && column > 0 ? score[(row - 1) * n + column - 1] : (row + column) * GAP;
  letters[t] = a[row + t];
  int letter = b[column + t];
  __syncthreads();
  for (int step = 0; step < 2 * TILE - 1; step++) {
    int y = step - t + 1, x = t + 1; // lane t does column t, one row behind the lane before
    if (y >= 1 && y <= TILE) {
      int both = cell[y - 1][x - 1] + (letters[y - 1] == letter ? MATCH : MISMATCH);
      cell[y][x] = max(both, max(cell[y - 1][x], cell[y][x - 1]) + GAP);
    }
    __syncthreads();
  }
  for (int y = 0; y < TILE; y++) score[(row + y) * n + column + t] = cell[y + 1][t + 1];
}
