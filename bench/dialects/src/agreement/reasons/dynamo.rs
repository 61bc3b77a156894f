//! Why `dynamo-parsers-v2` parts from us.

use super::{Kind, Peer, Reason, Verdict};

/// The reasons.
pub(super) const REASONS: &[Reason] = &[
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::TheirBug,
        why: "It trims the values of strings; indentation and line ends are lost. A string is kept to the byte here.",
        cases: &["2a04cce7070956", "9e90a1adbd2541"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::Policy,
        why: "The model put all arguments into one parameter `arguments`, which the tool does not have. It is unpacked here, with a problem `repaired`; they pass it on.",
        cases: &["73d4423c4839e2"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::TheirBug,
        why: "A parameter without its end tag swallows the next one; here the next parameter of the tool ends it.",
        cases: &["5775e179abe54e", "50ed0f3088183b"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::TheirBug,
        why: "The tag of the function has no `>`. They take everything up to the next `>` for its name; here the line end closes it.",
        cases: &["29a131117f6ba2"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::Policy,
        why: "The tag of the function has no `>` and no parameters follow. They drop the call; here it is a call without arguments, which the engine refuses by name.",
        cases: &["86abaab4981c94"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::TheirBug,
        why: "The list is JSON whose quotes are escaped once more. They cut it at its commas; here it stays the raw string with a problem `untyped_value`, which the engine refuses. (The serving engine unescapes it.)",
        cases: &["a95593f2f1a3f5", "56081fc9588ec0", "bbb134414b4396"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::Policy,
        why: "The closing bracket of the arguments is missing before the end marker. It is added here, with a problem `repaired`; they hand on the text as it is, which is no JSON.",
        cases: &["2d0519cee6fa7d"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::TheirBug,
        why: "The arguments are no JSON and cannot be repaired (`fasle`). They offer the call with that text; here it is set aside as unreadable.",
        cases: &["c43ae7af401a3b"],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Calls,
        kind: Kind::Policy,
        why: "The identifier is not `functions.NAME:INDEX`. They drop the call; here its name is passed on, and an unknown tool is the engine's to refuse.",
        cases: &[
            "5f361c3ae2ff68",
            "6c6b0152e24f08",
            "abbfe4c13c8827",
            "6e9ffe710e3379",
            "47fab690f5a1dc",
            "b4136d3f468b3d",
        ],
    },
    Reason {
        peer: Peer::Dynamo,
        place: Verdict::Text,
        kind: Kind::Policy,
        why: "The wrapper is that of V3.2. They read the call without a wrapper and leave its opening tag in the text; here both wrappers are read as one dialect.",
        cases: &["f4704a4ab9e7bb"],
    },
];
