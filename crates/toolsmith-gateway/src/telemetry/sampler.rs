//! Which traces are kept.

/// Which traces are kept: a share of those that begin here, and what callers say of theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// The share of traces that is kept, from 0 to 1.
    pub share: f64,
    /// Whether a caller that traces decides for us.
    pub follows_callers: bool,
}

impl Default for Sampler {
    fn default() -> Self {
        Self { share: 1.0, follows_callers: true }
    }
}

impl Sampler {
    /// Reads the names of OpenTelemetry's samplers, and their argument.
    pub fn parse(name: &str, argument: Option<&str>) -> Result<Self, String> {
        let (follows_callers, root) = match name.strip_prefix("parentbased_") {
            Some(root) => (true, root),
            None => (false, name),
        };
        let share = match (root, argument.map(str::parse::<f64>)) {
            ("always_on", _) | ("traceidratio", None) => 1.0,
            ("always_off", _) => 0.0,
            ("traceidratio", Some(Ok(share))) if (0.0..=1.0).contains(&share) => share,
            ("traceidratio", _) => return Err("its share is a number from 0 to 1".to_owned()),
            _ => {
                let known =
                    "always_on, always_off, traceidratio, or one of them behind parentbased_";
                return Err(format!("`{name}` is none of {known}"));
            }
        };
        Ok(Self { share, follows_callers })
    }

    /// Decides about a trace, the same way in every program that goes by its share.
    pub(super) fn keeps(self, trace_id: [u8; 16], caller: Option<bool>) -> bool {
        if let Some(is_kept) = caller.filter(|_| self.follows_callers) {
            return is_kept;
        }
        if self.share >= 1.0 {
            return true;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share is no exact number")]
        let place = (u128::from_be_bytes(trace_id) & u128::from(u64::MAX)) as f64;
        #[expect(clippy::cast_precision_loss, reason = "the same")]
        let end = u64::MAX as f64;
        place < self.share * end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_specification() {
        let read = |name, argument| Sampler::parse(name, argument);
        assert_eq!(read("parentbased_always_on", None).unwrap(), Sampler::default());
        let share = Sampler { share: 0.25, follows_callers: true };
        assert_eq!(read("parentbased_traceidratio", Some("0.25")).unwrap(), share);
        assert_eq!(read("always_off", None).unwrap().share.to_bits(), 0.0_f64.to_bits());
        for (name, argument) in [("sometimes", None), ("traceidratio", Some("2"))] {
            assert!(read(name, argument).is_err(), "{name}");
        }
    }

    #[test]
    fn a_share_of_the_traces_is_kept_and_callers_decide_for_theirs() {
        let sampler = Sampler { share: 0.3, follows_callers: true };
        let kept = (0..10_000_u64)
            .filter(|n| {
                let id = u128::from(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes();
                sampler.keeps(id, None)
            })
            .count();
        assert!((2_800..3_200).contains(&kept), "{kept}");
        assert!(sampler.keeps([0xff; 16], Some(true)));
        assert!(!sampler.keeps([0; 16], Some(false)));
    }
}
