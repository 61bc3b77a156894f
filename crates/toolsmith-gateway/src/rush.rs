//! The end of a rush: a moment to give memory back to the system.
//!
//! The allocator keeps what was freed, in case it is wanted again. After thousands of connections or
//! sessions have gone, or when nobody asks for anything any more, it is not.

/// How many connections and sessions must have gone.
const MANY: usize = 1_000;

/// What is remembered of how much there was to do.
#[derive(Debug, Default)]
pub(crate) struct Rush {
    /// The most connections and sessions since memory was given back.
    most: usize,
    /// The requests that were answered when it was last looked.
    answered: u64,
    /// Whether any of them came since memory was given back.
    is_owed: bool,
}

impl Rush {
    /// Takes note of the connections and sessions that there are.
    pub(crate) fn note(&mut self, held: usize) {
        self.most = self.most.max(held);
    }

    /// Tells whether a rush is over, from what is held now and was answered until now.
    pub(crate) fn is_over(&mut self, held: usize, answered: u64) -> bool {
        self.note(held);
        let has_emptied = self.most - held >= MANY;
        let is_quiet = self.is_owed && self.answered == answered;
        self.is_owed |= self.answered != answered;
        self.answered = answered;
        if has_emptied || is_quiet {
            (self.most, self.is_owed) = (held, false);
        }
        has_emptied || is_quiet
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rush_is_over_when_many_have_gone_or_nobody_asks_any_more() {
        let mut rush = Rush::default();
        assert!(!rush.is_over(0, 0), "nothing has happened");
        assert!(!rush.is_over(10, 5));
        assert!(rush.is_over(10, 5), "nobody has asked since");
        assert!(!rush.is_over(10, 5), "and it is known");
        rush.note(2_000);
        assert!(!rush.is_over(1_500, 6));
        assert!(rush.is_over(900, 7), "more than a thousand have gone");
        assert!(!rush.is_over(900, 8));
    }
}
