//! Draws the questions that the published baseline was scored on.
//!
//! It drew them with `random.Random(7).sample`, so this is the Mersenne Twister (MT19937) with
//! Python's way of seeding and of choosing.

/// How many questions the baseline drew.
pub(super) const SIZE: usize = 3_000;

const SEED: u32 = 7;
const STATE: usize = 624;
const SHIFT: usize = 397;

/// Returns which of `count` questions were drawn, in the order of drawing.
pub(super) fn sample(count: usize) -> Vec<usize> {
    let mut twister = Twister::new();
    let mut seen = std::collections::HashSet::new();
    let mut drawn = Vec::with_capacity(SIZE);
    while drawn.len() < SIZE.min(count) {
        let place = twister.below(count);
        if seen.insert(place) {
            drawn.push(place);
        }
    }
    drawn
}

struct Twister {
    state: [u32; STATE],
    at: usize,
}

impl Twister {
    fn new() -> Self {
        let mut state = [0_u32; STATE];
        state[0] = 19_650_218;
        for at in 1..STATE {
            state[at] = spread(state[at - 1], 1_812_433_253).wrapping_add(number(at));
        }
        let mut at = 1;
        for _ in 0..STATE {
            state[at] = (state[at] ^ spread(state[at - 1], 1_664_525)).wrapping_add(SEED);
            at = next(&mut state, at);
        }
        for _ in 1..STATE {
            state[at] = (state[at] ^ spread(state[at - 1], 1_566_083_941)).wrapping_sub(number(at));
            at = next(&mut state, at);
        }
        state[0] = 0x8000_0000;
        Self { state, at: STATE }
    }

    fn draw(&mut self) -> u32 {
        if self.at == STATE {
            self.twist();
        }
        let mut drawn = self.state[self.at];
        self.at += 1;
        drawn ^= drawn >> 11;
        drawn ^= drawn << 7 & 0x9d2c_5680;
        drawn ^= drawn << 15 & 0xefc6_0000;
        drawn ^ drawn >> 18
    }

    fn twist(&mut self) {
        for at in 0..STATE {
            let joined =
                (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % STATE] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[at] = self.state[(at + SHIFT) % STATE] ^ joined >> 1 ^ odd;
        }
        self.at = 0;
    }

    fn below(&mut self, count: usize) -> usize {
        let bits = usize::BITS - count.leading_zeros();
        loop {
            let drawn = (self.draw() >> (32 - bits)) as usize;
            if drawn < count {
                return drawn;
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a place is below 624")]
fn number(at: usize) -> u32 {
    at as u32
}

fn spread(before: u32, factor: u32) -> u32 {
    (before ^ before >> 30).wrapping_mul(factor)
}

/// Goes on to the next place; after the last one the first place holds its number.
fn next(state: &mut [u32; STATE], at: usize) -> usize {
    if at + 1 < STATE {
        return at + 1;
    }
    state[0] = state[STATE - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn the_sample_is_the_one_python_draws() {
        assert_eq!(sample(21_111)[..5], [10_611, 4_943, 12_937, 1_582, 2_373]);
    }
}
