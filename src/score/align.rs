//! Weighted edit distance over positions, with the alignment that explains it.

/// A pair of positions; one side is absent where a step was left out or added.
pub type Pair = (Option<u32>, Option<u32>);

const DIAGONAL: u8 = 0;
const DELETION: u8 = 1;
const INSERTION: u8 = 2;

/// Most bytes of moves that are held at once; beyond, blocks of rows are swept a second time.
const MOVES_BYTES: u64 = 512 << 20;

/// The least cost of turning `deletions.len()` reference steps into `insertions.len()` steps of a run, and the
/// pairs that cost it. Where several ways cost the same, the one read from the end that prefers a pair, then a
/// deletion, then an insertion is taken, so that the alignment is the same everywhere.
///
/// Takes two rows of integers and two bits a cell: 25 MB for 10,000 by 10,000. From 46,000 by 46,000 on
/// (512 MiB) it takes twice the time and memory of the order of m √n instead: 64 MB for 100,000 by 100,000.
pub fn align(deletions: &[u32], insertions: &[u32], cost: impl Fn(usize, usize) -> u32) -> (u32, Vec<Pair>) {
    let cells = (deletions.len() as u64).saturating_mul(insertions.len() as u64);
    // Rows kept at block starts take 4 m n ÷ b bytes, a block's moves m b ÷ 4: least together at b = 4 √n.
    let block = if cells / 4 <= MOVES_BYTES { deletions.len() } else { 4 * deletions.len().isqrt() };
    in_blocks(deletions, insertions, cost, block.max(1))
}

fn in_blocks(
    deletions: &[u32],
    insertions: &[u32],
    cost: impl Fn(usize, usize) -> u32,
    block: usize,
) -> (u32, Vec<Pair>) {
    let (n, m) = (deletions.len(), insertions.len());
    // One row on from `above`, which becomes the row; `way` hears each cell's column and move.
    let sweep = |i: usize, columns: usize, above: &mut Vec<u32>, row: &mut Vec<u32>, way: &mut dyn FnMut(usize, u8)| {
        let deletion = deletions[i];
        row[0] = above[0] + deletion;
        for (j, insertion) in insertions[..columns].iter().enumerate() {
            let paired = above[j] + cost(i, j);
            let deleted = above[j + 1] + deletion;
            let inserted = row[j] + insertion;
            let best = paired.min(deleted).min(inserted);
            row[j + 1] = best;
            if paired == best {
                way(j, DIAGONAL);
            } else if deleted == best {
                way(j, DELETION);
            } else {
                way(j, INSERTION);
            }
        }
        std::mem::swap(above, row);
    };
    let mut above: Vec<u32> = Vec::with_capacity(m + 1);
    above.push(0);
    for (j, insertion) in insertions.iter().enumerate() {
        above.push(above[j] + insertion);
    }
    let mut row = vec![0; m + 1];
    // The row before each block but the last, whose moves are noted at once.
    let last = n.saturating_sub(1) / block * block;
    let mut kept = Vec::new();
    for i in 0..last {
        if i % block == 0 {
            kept.push(above.clone());
        }
        sweep(i, m, &mut above, &mut row, &mut |_, _| {});
    }
    let mut moves = Moves::new(n - last, m);
    for i in last..n {
        sweep(i, m, &mut above, &mut row, &mut |j, way| moves.set(i - last, j, way));
    }
    let distance = above[m];

    let mut pairs = Vec::with_capacity(n.max(m));
    let (mut start, mut end, mut j) = (last, n, m);
    loop {
        j = moves.walk(start, end, j, &mut pairs);
        let Some(mut above) = kept.pop() else { break };
        (start, end) = (start - block, start);
        moves = Moves::new(block, j);
        for i in start..end {
            sweep(i, j, &mut above, &mut row, &mut |j, way| moves.set(i - start, j, way));
        }
    }
    let position = |at: usize| u32::try_from(at).ok();
    pairs.extend((0..j).rev().map(|j| (None, position(j))));
    pairs.reverse();
    (distance, pairs)
}

/// Two bits a cell.
struct Moves {
    width: usize,
    cells: Vec<u8>,
}

impl Moves {
    fn new(n: usize, m: usize) -> Self {
        Moves { width: m, cells: vec![0; (n * m).div_ceil(4)] }
    }

    fn set(&mut self, i: usize, j: usize, way: u8) {
        let at = i * self.width + j;
        self.cells[at / 4] |= way << (at % 4 * 2);
    }

    fn get(&self, i: usize, j: usize) -> u8 {
        let at = i * self.width + j;
        self.cells[at / 4] >> (at % 4 * 2) & 3
    }

    /// From column `j` after row `end` back to before row `start`; gives the column there.
    fn walk(&self, start: usize, end: usize, mut j: usize, pairs: &mut Vec<Pair>) -> usize {
        let position = |at: usize| u32::try_from(at).ok();
        let mut i = end;
        while i > start {
            let way = if j == 0 { DELETION } else { self.get(i - 1 - start, j - 1) };
            if way != INSERTION {
                i -= 1;
            }
            if way != DELETION {
                j -= 1;
            }
            pairs.push((
                if way == INSERTION { None } else { position(i) },
                if way == DELETION { None } else { position(j) },
            ));
        }
        j
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_prefer_pairs_then_deletions() {
        // Everything costs the same: 2 for a pair, 1 + 1 for a deletion and an insertion.
        let (d, pairs) = align(&[1, 1], &[1], |_, _| 2);
        assert_eq!((d, pairs), (3, vec![(Some(0), None), (Some(1), Some(0))]));
        // A pair is never taken here; read from the end the deletion comes first, so it stands last.
        let (d, pairs) = align(&[1], &[1], |_, _| 3);
        assert_eq!((d, pairs), (2, vec![(None, Some(0)), (Some(0), None)]));
    }

    #[test]
    fn blocks_change_nothing() {
        let weights =
            |n: usize, seed: usize| (0..n).map(|i| [1, 3, 1, 3, 2][(i * i + seed * i) % 5]).collect::<Vec<u32>>();
        let cost = |i: usize, j: usize| [0, 1, 2, 4][(i * 7 + j * 3 + i * j) % 4];
        for (n, m) in [(0, 0), (0, 5), (5, 0), (1, 1), (7, 12), (31, 17), (64, 64)] {
            let (a, b) = (weights(n, 1), weights(m, 3));
            let whole = in_blocks(&a, &b, cost, n.max(1));
            for block in [1, 2, 3, 8, 30] {
                assert_eq!(in_blocks(&a, &b, cost, block), whole, "{n} by {m} in blocks of {block}");
            }
            assert_eq!(align(&a, &b, cost), whole);
        }
    }
}
